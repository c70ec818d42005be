import { describe, expect, it } from "vitest"
import { spanFigures } from "@/live/figures"

const samples = (t: number[], value: number[]) => ({ t: Float64Array.from(t), value: Float64Array.from(value) })

describe("spanFigures", () => {
  it("weighs each reading by the time that it speaks for", () => {
    // 100 W for 1 s and 200 W for 2 s: 500 J in 3 s.
    expect(spanFigures(null, samples([10, 11, 13], [50, 100, 200]), 10, 13, 1)).toEqual({
      minimum: 100,
      maximum: 200,
      mean: 500 / 3,
      integral: 500,
      coveredS: 3,
    })
  })

  it("bridges no gap: a reading after one speaks for one period", () => {
    const figures = spanFigures(null, samples([10, 20], [100, 100]), 9, 20, 1)
    expect(figures).toMatchObject({ coveredS: 2, integral: 200, mean: 100 })
  })

  it("leaves bad readings out", () => {
    const figures = spanFigures(null, samples([1, 2, 3], [10, Number.NaN, 30]), 0, 3, 1)
    expect(figures).toMatchObject({ minimum: 10, maximum: 30, mean: 20, coveredS: 2 })
  })

  it("takes the part of a reading that lies within the span", () => {
    expect(spanFigures(null, samples([1, 2], [10, 20]), 1.5, 2, 1)).toMatchObject({ integral: 10, coveredS: 0.5 })
  })

  it("takes the service's columns for the time before the samples, peaks included", () => {
    const past = {
      channel: "power",
      width_s: 10,
      t_s: [5, 15],
      mean: [100, 200],
      minimum: [90, 150],
      maximum: [110, 400],
    }
    const figures = spanFigures(past, samples([21, 22], [300, 300]), 0, 22, 1)
    expect(figures).toMatchObject({ minimum: 90, maximum: 400, coveredS: 22, integral: 1000 + 2000 + 600 })
  })

  it("knows nothing where nothing was read", () => {
    expect(spanFigures(null, samples([], []), 0, 10, 1)).toBeNull()
    expect(spanFigures(null, samples([5], [Number.NaN]), 0, 10, 1)).toBeNull()
  })
})
