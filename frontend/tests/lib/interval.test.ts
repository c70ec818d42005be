import { describe, expect, it } from "vitest"
import { halfWidth } from "@/lib/interval"

describe("half of an interval", () => {
  it("is what stands behind ±", () => {
    expect(halfWidth({ low: 4.8, high: 5.2, complete: true })).toBeCloseTo(0.2, 12)
    expect(halfWidth({ low: 4.8, high: 5.2 })).toBeCloseTo(0.2, 12)
  })

  it("is none where there is no interval, or where it holds the scatter of repeats alone", () => {
    expect(halfWidth(null)).toBeNull()
    expect(halfWidth({ low: null, high: null })).toBeNull()
    expect(halfWidth({ low: 4.8, high: 5.2, complete: false })).toBeNull()
  })
})
