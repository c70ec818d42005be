/** Columns of the list of runs. */

import type { Column } from "@/components/tableModel"
import { fmt, perLongWork } from "@/format"
import { keyOf } from "@/lib/names"
import { t } from "@/strings"
import { compareWords } from "@/strings/compare"
import { runsWords as words } from "@/strings/runs"
import { glance, type RunRow } from "./verdicts"

/** A unit belongs in the head while all figures share it, otherwise in the cell. */
function oneUnit(runs: readonly RunRow[], unitOf: (run: RunRow) => string | undefined): string | undefined {
  const units = new Set(runs.flatMap((run) => unitOf(run) ?? []))
  return units.size === 1 ? [...units][0] : undefined
}

export function runColumns(runs: readonly RunRow[], names: ReadonlyMap<string, string>): Column<RunRow>[] {
  const efficiency = (run: RunRow) => run.efficiency && perLongWork(run.efficiency)
  const efficiencyUnit = oneUnit(runs, (run) => efficiency(run)?.unit)
  const throughputUnit = oneUnit(runs, (run) => run.throughput?.unit)
  return [
    { id: "select", head: words.selectAll, headHidden: true, value: () => null, sortable: false, card: "lead" },
    { id: "configuration", head: t.runs.configuration, value: (run) => names.get(keyOf(run)), card: "title" },
    ...(runs.some((run) => run.lab) ? [lab] : []),
    { id: "workload", head: t.runs.workload, value: (run) => `${run.workload}, ${run.level}`, card: "line" },
    { id: "verdict", head: t.runs.verdict, value: (run) => glance(run.state).word, card: "figure" },
    {
      id: "efficiency",
      head: compareWords.short.efficiency,
      unit: efficiencyUnit,
      value: (run) => run.efficiency?.value,
      cellUnit: (run) => (efficiencyUnit ? undefined : efficiency(run)?.unit),
      measured: (run) => fmt.quantity(efficiency(run)),
      card: "figure",
    },
    {
      id: "power",
      head: t.quantity.power,
      unit: "W",
      value: (run) => run.power?.value,
      measured: (run) => fmt.quantity(run.power),
      card: "figure",
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
    ...(runs.some((run) => run.tags?.length) ? [tags] : []),
    { id: "created", head: t.runs.created, value: (run) => run.created, text: (run) => fmt.shortDateTime(run.created) },
  ]
}

/** A lab has a column where several send their runs. */
const lab: Column<RunRow> = {
  id: "lab",
  head: compareWords.facets.lab,
  value: (run) => run.lab,
  sortable: false,
  wideOnly: true,
}

const tags: Column<RunRow> = {
  id: "tags",
  head: words.tags,
  value: (run) => run.tags?.join(", ") || null,
  wideOnly: true,
}
