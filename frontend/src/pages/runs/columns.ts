/** Columns of the list of runs. */

import type { Column } from "@/components/tableModel"
import { fmt } from "@/format"
import { t } from "@/strings"
import { compareWords } from "@/strings/compare"
import { runsWords as words } from "@/strings/runs"
import type { Annotations } from "./filter"
import { glance, type RunRow } from "./verdicts"

/** A unit belongs in the head while all rows share it, otherwise in the cell. */
function oneUnit(runs: readonly RunRow[], of: (run: RunRow) => string): string | undefined {
  const units = new Set(runs.map(of))
  return units.size === 1 ? [...units][0] : undefined
}

export function runColumns(runs: readonly RunRow[], said: Annotations): Column<RunRow>[] {
  const efficiencyUnit = oneUnit(runs, (run) => run.efficiency_unit)
  const throughputUnit = oneUnit(runs, (run) => run.throughput_unit)
  return [
    { id: "select", head: words.selectAll, headHidden: true, value: () => null, sortable: false },
    { id: "configuration", head: t.runs.configuration, value: (run) => run.configuration_title || run.configuration },
    { id: "verdict", head: t.runs.verdict, value: (run) => glance(run).word },
    ...(runs.some((run) => said.get(run.run_id)?.tags.length) ? [tags(said)] : []),
    {
      id: "efficiency",
      head: compareWords.short.efficiency,
      unit: efficiencyUnit,
      value: (run) => run.efficiency,
      cellUnit: (run) => (efficiencyUnit || run.efficiency == null ? undefined : run.efficiency_unit),
      measured: (run) => fmt.measured(run.efficiency, run.efficiency_U95),
    },
    {
      id: "power",
      head: t.quantity.power,
      unit: "W",
      value: (run) => run.power_w,
      measured: (run) => fmt.measured(run.power_w, run.power_U95_w),
    },
    {
      id: "throughput",
      head: t.quantity.throughput,
      unit: throughputUnit,
      value: (run) => run.throughput,
      cellUnit: (run) => (throughputUnit || run.throughput == null ? undefined : run.throughput_unit),
      measured: (run) => fmt.measured(run.throughput, run.throughput_U95),
      wideOnly: true,
    },
    { id: "workload", head: t.runs.workload, value: (run) => `${run.workload}, ${run.level}`, wideOnly: true },
    { id: "repeat", head: t.runs.repeat, value: (run) => run.repeat, numeric: true, wideOnly: true },
    { id: "created", head: t.runs.created, value: (run) => run.created, text: (run) => fmt.shortDateTime(run.created) },
  ]
}

const tags = (said: Annotations): Column<RunRow> => ({
  id: "tags",
  head: words.tags,
  value: (run) => said.get(run.run_id)?.tags.join(", ") || null,
  wideOnly: true,
})
