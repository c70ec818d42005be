import { describe, expect, it } from "vitest"
import { spanFigures } from "@/live/span"

const samples = (t: number[], value: number[]) => ({ t: Float64Array.from(t), value: Float64Array.from(value) })

describe("a span of a live channel", () => {
  it("weights each reading by the time that it stands for", () => {
    // 0.5 s of 100 W, 1 s of 200 W and the first half of the reading that ends behind the span: 400 J in 2 s.
    expect(spanFigures(samples([1, 2, 3], [100, 200, 300]), 0.5, 2.5, 1)).toEqual({
      mean: 200,
      total: 400,
      minimum: 100,
      maximum: 200,
      n: 2,
      missingS: 0,
    })
  })

  it("bridges no gap: a reading after one stands for a period only", () => {
    // Readings at 1 s and 11 s cover 2 of 11 s.
    const figures = spanFigures(samples([1, 11], [100, 300]), 0, 11, 1)!
    expect(figures).toMatchObject({ mean: 200, total: 400, n: 2, missingS: 9 })
  })

  it("leaves out bad readings and the time that they stand for", () => {
    const figures = spanFigures(samples([1, 2, 3], [100, Number.NaN, 200]), 0, 3, 1)!
    expect(figures).toMatchObject({ mean: 150, n: 2, missingS: 1 })
  })

  it("is nothing where no good reading lies inside", () => {
    expect(spanFigures(samples([1], [100]), 2, 3, 1)).toBeNull()
    expect(spanFigures(samples([], []), 0, 1, 1)).toBeNull()
  })
})
