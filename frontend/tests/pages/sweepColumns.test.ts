import { describe, expect, it } from "vitest"
import type { Sweep } from "@/charts/scaling/sweepCurves"
import { sweepColumns } from "@/pages/scaling/sweepColumns"

const sweep = (U95: number | null): Sweep =>
  ({
    scaling: {
      title: "A",
      levels: [],
      mean_from: 5,
      mean_efficiency: { value: 25.469, U95 },
      mean_throughput: { value: 6240, U95: null },
      efficiency_unit: "signs/J",
      throughput_unit: "signs/s",
    },
    efficiency: null,
    throughput: null,
  }) as unknown as Sweep

describe("means over the upper levels", () => {
  const shown = (row: Sweep) => sweepColumns([row]).find((column) => column.id === "mean-efficiency")!.measured!(row)

  it("carry the ± that is known, and three digits where none is", () => {
    expect(shown(sweep(0.21))).toEqual({ value: "25.47", u: "0.21" })
    expect(shown(sweep(null))).toEqual({ value: "25.5", u: null })
  })
})
