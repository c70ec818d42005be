/** The sweeps in numbers: where each configuration peaks and bends, and its mean over the upper levels. */

import type { Sweep } from "@/charts/scaling/sweepCurves"
import type { Column } from "@/components/tableModel"
import { fmt } from "@/format"
import { t } from "@/strings"
import { compareWords as words } from "@/strings/compare"

export function sweepColumns(sweeps: readonly Sweep[]): Column<Sweep>[] {
  const first = sweeps[0]?.scaling
  const level = (id: string, head: string, of: (row: Sweep) => number | null | undefined): Column<Sweep> => ({
    id,
    head,
    value: of,
    numeric: true,
    text: (row) => (of(row) == null ? t.none : fmt.asPrinted(of(row)!)),
  })
  const means: Column<Sweep>[] = [
    {
      id: "mean-efficiency",
      head: words.meanOf(words.short.efficiency),
      unit: first?.efficiency_unit,
      value: (row) => row.scaling.mean_efficiency?.value,
      measured: (row) => fmt.quantity(row.scaling.mean_efficiency),
    },
    {
      id: "mean-throughput",
      head: words.meanOf(t.quantity.throughput),
      unit: first?.throughput_unit,
      value: (row) => row.scaling.mean_throughput?.value,
      measured: (row) => fmt.quantity(row.scaling.mean_throughput),
    },
  ]
  return [
    { id: "title", head: words.configuration, value: (row) => row.scaling.title },
    level("levels", words.levels, (row) => row.scaling.levels.length),
    level("peak", words.peakOf(words.short.efficiency), (row) => row.efficiency?.peak),
    level("peak-rate", words.peakOf(t.quantity.throughput), (row) => row.throughput?.peak),
    level("knee", words.kneeOf(t.quantity.throughput), (row) => row.throughput?.knee),
    level("saturation", words.saturation, (row) => row.throughput?.saturation),
    ...(first?.mean_from == null ? [] : means),
  ]
}
