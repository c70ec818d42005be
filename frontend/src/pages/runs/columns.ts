/** Columns of the list of runs. */

import { efficiencyColumn, powerColumn, throughputColumn } from "@/components/figureColumns"
import type { Column } from "@/components/tableModel"
import { fmt, perLongWork } from "@/format"
import { keyOf } from "@/lib/names"
import { t } from "@/strings"
import { compareWords } from "@/strings/compare"
import { runsWords as words } from "@/strings/runs"
import { glance, type RunRow } from "./verdicts"

export function runColumns(runs: readonly RunRow[], names: ReadonlyMap<string, string>): Column<RunRow>[] {
  return [
    { id: "select", head: words.selectAll, headHidden: true, value: () => null, sortable: false, card: "lead" },
    { id: "configuration", head: t.runs.configuration, value: (run) => names.get(keyOf(run)), card: "title" },
    ...(runs.some((run) => run.lab) ? [lab] : []),
    { id: "workload", head: t.runs.workload, value: (run) => `${run.workload}, ${run.level}`, card: "line" },
    { id: "verdict", head: t.runs.verdict, value: (run) => glance(run.state).word, card: "figure" },
    efficiencyColumn(runs, (run) => run.efficiency && perLongWork(run.efficiency)),
    powerColumn(),
    throughputColumn(runs),
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
