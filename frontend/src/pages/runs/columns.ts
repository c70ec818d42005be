/** Columns of the list of runs. */

import type { Column } from "@/components/tableModel"
import { fmt } from "@/format"
import { keyOf } from "@/lib/names"
import { t } from "@/strings"
import { compareWords } from "@/strings/compare"
import { runsWords as words } from "@/strings/runs"
import type { Annotations } from "./filter"
import { glance, type RunRow } from "./verdicts"

/** A unit belongs in the head while all figures share it, otherwise in the cell. */
function oneUnit(runs: readonly RunRow[], name: "efficiency" | "throughput"): string | undefined {
  const units = new Set(runs.flatMap((run) => run[name]?.unit ?? []))
  return units.size === 1 ? [...units][0] : undefined
}

export function runColumns(
  runs: readonly RunRow[],
  annotations: Annotations,
  names: ReadonlyMap<string, string>,
  narrow = false,
): Column<RunRow>[] {
  const efficiencyUnit = oneUnit(runs, "efficiency")
  const throughputUnit = oneUnit(runs, "throughput")
  const verdict: Column<RunRow> = { id: "verdict", head: t.runs.verdict, value: (run) => glance(run).word }
  const efficiency: Column<RunRow> = {
    id: "efficiency",
    head: compareWords.short.efficiency,
    unit: efficiencyUnit,
    value: (run) => run.efficiency?.value,
    cellUnit: (run) => (efficiencyUnit ? undefined : run.efficiency?.unit),
    measured: (run) => fmt.quantity(run.efficiency),
  }
  return [
    { id: "select", head: words.selectAll, headHidden: true, value: () => null, sortable: false },
    { id: "configuration", head: t.runs.configuration, value: (run) => names.get(keyOf(run)) },
    { id: "workload", head: t.runs.workload, value: (run) => `${run.workload}, ${run.level}`, wideOnly: true },
    // On a phone the figure is what has to be in sight.
    ...(narrow ? [efficiency, verdict] : [verdict, efficiency]),
    {
      id: "power",
      head: t.quantity.power,
      unit: "W",
      value: (run) => run.power?.value,
      measured: (run) => fmt.quantity(run.power),
    },
    {
      id: "throughput",
      head: t.quantity.throughput,
      unit: throughputUnit,
      value: (run) => run.throughput?.value,
      cellUnit: (run) => (throughputUnit ? undefined : run.throughput?.unit),
      measured: (run) => fmt.partly(run.throughput),
      wideOnly: true,
    },
    { id: "repeat", head: t.runs.repeat, value: (run) => run.repeat, numeric: true, wideOnly: true },
    ...(runs.some((run) => annotations.get(run.run_id)?.tags.length) ? [tags(annotations)] : []),
    { id: "created", head: t.runs.created, value: (run) => run.created, text: (run) => fmt.shortDateTime(run.created) },
  ]
}

const tags = (annotations: Annotations): Column<RunRow> => ({
  id: "tags",
  head: words.tags,
  value: (run) => annotations.get(run.run_id)?.tags.join(", ") || null,
  wideOnly: true,
})
