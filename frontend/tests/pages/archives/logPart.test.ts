import { describe, expect, it } from "vitest"
import { drawn, fieldsOf, isPlaced, meanBetween, spanOf, stepOf, type LogTrace } from "@/pages/archives/logPart"

/** 100 W, 300 W from 120 s to 240 s, 100 W until 360 s, with a span in which nothing was read. */
const power = [100, 100, 300, 300, 100, null]
const trace: LogTrace = {
  begin: "2024-07-01T12:00:00+00:00",
  length_s: 360,
  power_w: power,
  least_w: power,
  most_w: power,
}

describe("the part of a log", () => {
  it.each([
    ["", "", [0, 360]],
    ["125", "235 s", [125, 235]],
    ["2024-07-01T12:02:05Z", "2024-07-01T14:03:55+02:00", [125, 235]],
    ["2024-07-01T14:02:05", "235", [0, 235]],
    ["125", "999", [125, 360]],
    ["300", "200", [0, 360]],
    ["nonsense", "", [0, 360]],
  ])("stands where %j and %j say", (from, to, span) => {
    expect(spanOf(from, to, trace)).toEqual(span)
  })

  it.each([
    ["", "", true],
    ["125", "235 s", true],
    ["2024-07-01T12:02:05Z", "", true],
    ["2024-07-01T14:02:05", "235", false],
    ["125", "999", false],
    ["300", "200", false],
    ["nonsense", "", false],
  ])("is placed by %j and %j only where the service would place it so", (from, to, placed) => {
    expect(isPlaced(from, to, trace)).toBe(placed)
  })

  it("says nothing at the ends of the log, and tenths between", () => {
    expect(fieldsOf([0, 360], trace)).toEqual({ from: "", to: "" })
    expect(fieldsOf([125.04, 234.96], trace)).toEqual({ from: "125", to: "235" })
    expect(spanOf("125", "", trace)).toEqual([125, 360])
  })

  it("moves in steps that suit its length", () => {
    expect([1, 360, 3600, 864_000].map((length_s) => stepOf({ ...trace, length_s }))).toEqual([0.1, 0.1, 1, 1000])
  })

  it("averages by time and leaves out what was not read", () => {
    expect(meanBetween([120, 240], trace)).toBe(300)
    expect(meanBetween([60, 180], trace)).toBe(200)
    expect(meanBetween([240, 360], trace)).toBe(100)
    expect(meanBetween([300, 360], trace)).toBeNull()
  })

  it("is drawn from its lowest to its highest power", () => {
    expect(drawn(trace)).toMatchObject({ low: 100, high: 300 })
    expect(drawn({ ...trace, power_w: [null], least_w: [null], most_w: [null] })).toBeNull()
  })
})
