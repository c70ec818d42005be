/** Worklets and levels of a suite in numbers. */

import type { SuiteLevel, SuiteReport, SuiteWorklet } from "@/api/suites"
import type { Column } from "@/components/tableModel"
import { fmt } from "@/format"
import { t } from "@/strings"
import { suiteWords as words } from "@/strings/suites"

/** How many levels of a worklet were held, and how many there are. */
function heldOf(report: SuiteReport, worklet: SuiteWorklet): [number, number] {
  const own = report.levels.filter((level) => level.worklet === worklet.workload)
  return [own.filter((level) => level.held).length, own.length]
}

export function workletColumns(report: SuiteReport): Column<SuiteWorklet>[] {
  return [
    { id: "worklet", head: words.worklet, value: (row) => row.workload },
    { id: "kind", head: words.stresses, value: (row) => words.kind(row.kind) },
    {
      id: "score",
      head: words.score,
      unit: report.unit,
      value: (row) => row.score?.value,
      measured: (row) => fmt.quantity(row.score),
    },
    {
      id: "ep",
      head: words.proportionality,
      value: (row) => row.curve?.energy_proportionality?.value,
      measured: (row) => fmt.quantity(row.curve?.energy_proportionality),
    },
    {
      id: "idle",
      head: words.idleShare,
      value: (row) => row.curve?.idle_to_peak?.value,
      measured: (row) => fmt.quantity(row.curve?.idle_to_peak),
    },
    {
      id: "held",
      head: words.held,
      value: (row) => heldOf(report, row)[0],
      text: (row) => words.heldOf(...heldOf(report, row)),
      numeric: true,
    },
  ]
}

export const LEVEL_COLUMNS: Column<SuiteLevel>[] = [
  { id: "worklet", head: words.worklet, value: (row) => row.worklet },
  { id: "target", head: words.target, unit: "%", value: (row) => row.target_pct, numeric: true },
  {
    id: "asked",
    head: words.asked,
    value: (row) => row.asked,
    text: (row) => (row.asked == null ? t.none : `${fmt.atMost(row.asked, 4)} ${row.throughput_unit}`),
    numeric: true,
  },
  {
    id: "done",
    head: words.done,
    value: (row) => row.throughput.value,
    measured: (row) => fmt.quantity(row.throughput),
    cellUnit: (row) => row.throughput_unit,
  },
  {
    id: "off",
    head: words.off,
    value: (row) => row.off_pct,
    text: (row) => (row.off_pct == null ? t.none : words.offBy(fmt.fixed(row.off_pct, 1))),
    numeric: true,
  },
  {
    id: "power",
    head: words.power,
    unit: "W",
    value: (row) => row.power_w.value,
    measured: (row) => fmt.quantity(row.power_w),
  },
  {
    id: "efficiency",
    head: words.efficiency,
    value: (row) => row.ops_per_joule.value,
    measured: (row) => fmt.quantity(row.ops_per_joule),
    cellUnit: (row) => `${row.throughput_unit.replace(/\/s$/, "")}/J`,
  },
]
