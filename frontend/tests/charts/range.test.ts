import { describe, expect, it } from "vitest"
import { liveRange, valueRange } from "@/charts/range"
import { begunPhases } from "@/charts/traces/overlays"

const shareOf = (low: number, high: number, [bottom, top]: [number, number]): number => (high - low) / (top - bottom)

describe("the range of a live trace", () => {
  it("leaves the noise of a steady meter small: 0.6 W of 379 W is no signal", () => {
    const range = liveRange(378.4, 379)
    expect(shareOf(378.4, 379, range)).toBeLessThan(0.05)
    expect((range[0] + range[1]) / 2).toBeCloseTo(378.7, 9)
  })

  it("shows a change that is one over nearly the whole height", () => {
    expect(liveRange(150, 200)).toEqual(valueRange(150, 200, false))
    expect(shareOf(150, 200, liveRange(150, 200))).toBeGreaterThan(0.85)
  })

  it("holds a flat line, nothing at all, and zero", () => {
    expect(liveRange(230, 230)[0]).toBeLessThan(230)
    expect(liveRange(null, null)).toEqual([0, 1])
    const [low, high] = liveRange(0, 0)
    expect(low).toBeLessThan(0)
    expect(high).toBeGreaterThan(0)
  })
})

describe("the phases of a run under way", () => {
  const phases = [
    { name: "idle" as const, begin_s: 0, end_s: 10 },
    { name: "settle" as const, begin_s: 10, end_s: 20 },
    { name: "measure" as const, begin_s: 20, end_s: 80 },
  ]

  it("have a tint up to the present only", () => {
    expect(begunPhases({ phases, now: 15 })).toEqual([phases[0], { ...phases[1], end_s: 15 }])
  })

  it("of a finished run have it whole", () => {
    expect(begunPhases({ phases })).toEqual(phases)
  })
})
