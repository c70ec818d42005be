import { describe, expect, it } from "vitest"
import { envelope, extent } from "@/charts/envelope"

const ramp = (n: number) => Float64Array.from({ length: n }, (_, i) => i)

describe("min/max envelope", () => {
  it("hides no peak, however narrow", () => {
    const t = ramp(100_000)
    const value = new Float64Array(100_000).fill(200)
    value[54_321] = 950
    value[54_322] = 3
    const cut = envelope(t, value, 0, 100_000, 300)
    expect(cut.t.length).toBeLessThanOrEqual(301)
    expect(Math.max(...cut.maximum)).toBe(950)
    expect(Math.min(...cut.minimum)).toBe(3)
  })

  it("keeps minimum <= mean <= maximum and the mean of all samples", () => {
    const t = ramp(10_000)
    const value = t.map((x) => Math.sin(x / 7) * 50 + x / 100)
    const cut = envelope(t, value, 0, 10_000, 100)
    cut.mean.forEach((mean, i) => {
      expect(mean).toBeGreaterThanOrEqual(cut.minimum[i]!)
      expect(mean).toBeLessThanOrEqual(cut.maximum[i]!)
    })
    const whole = value.reduce((a, b) => a + b, 0) / value.length
    const ofMeans = cut.mean.reduce((a, b) => a + b, 0) / cut.mean.length
    expect(ofMeans).toBeCloseTo(whole, 6)
  })

  it("draws every sample while there are fewer than columns", () => {
    const cut = envelope([1, 2, 3], [10, Number.NaN, 30], 0, 4, 100)
    expect(cut.decimated).toBe(false)
    expect([...cut.t]).toEqual([1, 2, 3])
    expect(cut.mean[1]).toBeNaN()
  })

  it("leaves a column of nothing but gaps empty and ignores gaps beside good samples", () => {
    const t = ramp(1000)
    const value = t.map((x) => (x >= 500 && x < 600 ? Number.NaN : x % 2 ? Number.NaN : 1))
    const cut = envelope(t, value, 0, 1000, 10)
    expect(cut.mean[5]).toBeNaN()
    expect(cut.mean[4]).toBe(1)
  })

  it("gives no extent of nothing", () => {
    expect(extent([])).toBeNull()
    expect(extent([Number.NaN])).toBeNull()
    expect(extent([3, Number.NaN, -2])).toEqual([-2, 3])
  })
})
