import { describe, expect, it } from "vitest"
import { clampWindow, covers, isWhole, shift, timeStep, traceRequest, zoomAbout } from "@/charts/timeWindow"
import { ticksBetween, valueRange } from "@/charts/range"

const run = { begin: 1000, end: 1140 }

describe("zoom", () => {
  it("keeps the point under the cursor where it is", () => {
    const before = { begin: 1040, end: 1100 }
    const after = zoomAbout(before, 1055, 0.5, run)
    expect(after.end - after.begin).toBeCloseTo(30, 9)
    expect((1055 - after.begin) / 30).toBeCloseTo((1055 - before.begin) / 60, 9)
  })

  it("never leaves the run and never shows more than it", () => {
    expect(zoomAbout({ begin: 1000, end: 1140 }, 1139, 4, run)).toEqual(run)
    expect(shift({ begin: 1100, end: 1140 }, 0.5, run)).toEqual({ begin: 1100, end: 1140 })
    expect(shift({ begin: 1010, end: 1050 }, -0.5, run)).toEqual({ begin: 1000, end: 1040 })
  })

  it("never becomes nothing", () => {
    const least = clampWindow({ begin: 1050, end: 1050 }, run)
    expect(least.end - least.begin).toBeGreaterThan(0)
  })

  it("knows the whole run", () => {
    expect(isWhole(run, run)).toBe(true)
    expect(isWhole({ begin: 1000.1, end: 1140 }, run)).toBe(false)
  })
})

describe("what is asked of the service", () => {
  it("asks for the whole run without bounds, so that a growing run stays whole", () => {
    expect(traceRequest(null, 1184)).toEqual({ px: 1200 })
  })

  it("asks for exactly the visible window at the width of the screen", () => {
    expect(traceRequest({ begin: 1050.12345, end: 1060 }, 1440)).toEqual({ px: 1500, begin_s: 1050.123, end_s: 1060 })
  })

  it("stays within what the service accepts", () => {
    expect(traceRequest(null, 1).px).toBe(200)
    expect(traceRequest(null, 20_000).px).toBe(4000)
  })

  it("draws a zoomed answer only when it holds all that is seen", () => {
    const answer = { begin_s: 1050, end_s: 1060 }
    expect(covers(answer, { begin: 1050.0004, end: 1060 })).toBe(true)
    expect(covers(answer, { begin: 1045, end: 1055 })).toBe(false)
    expect(covers(answer, null)).toBe(false)
  })
})

describe("axes", () => {
  it("puts time ticks on round times", () => {
    expect(ticksBetween(1000, 1140, 8)).toEqual([1020, 1050, 1080, 1110, 1140].map((t) => Math.round(t / 30) * 30))
    expect(timeStep(0.05, 5)).toBe(0.01)
    expect(timeStep(86_400 * 10, 5)).toBe(2 * 86_400)
  })

  it("leaves the range free with a margin, or begins at zero", () => {
    expect(valueRange(100, 200, false)).toEqual([94, 206])
    expect(valueRange(100, 200, true)).toEqual([0, 212])
    expect(valueRange(-5, 5, true)[0]).toBeLessThan(-5)
  })

  it("gives a flat line and no data a range", () => {
    const [low, high] = valueRange(230, 230, false)
    expect(low).toBeLessThan(230)
    expect(high).toBeGreaterThan(230)
    expect(valueRange(null, null, false)).toEqual([0, 1])
  })
})
