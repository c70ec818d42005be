/** Curves over load in numbers: idle, energy proportionality, knee, best level. */

import type { LoadLevels, PublishedCurve } from "@/api/scaling"
import type { Column } from "@/components/tableModel"
import { fmt, type Measured, type PlusMinus } from "@/format"
import { t } from "@/strings"
import { scalingWords as words } from "@/strings/scaling"

/** A share as a percentage, with its ±. */
const percentOf = (share: PlusMinus | null): Measured =>
  fmt.measured(share && 100 * share.value, share?.U95 == null ? null : 100 * share.U95)
const idleOf = (curve: LoadLevels) => curve.rows.find((row) => row.load_pct === 0)?.power_w ?? null
const loadText = (load: number | null | undefined): string => (load == null ? t.none : fmt.atMost(load, 3))

/** A load by the name of its level: "8 clients", or a bare number where levels are per cent. */
function levelText(curve: LoadLevels, load: number | null | undefined): string {
  const name = curve.rows.find((row) => row.load_pct === load)?.level
  return name === undefined || name.includes("%") ? loadText(load) : name
}

/** Loads that are not known to differ from the best one, in words: those that no test tells from it, those not tested. */
export function doubtWords(curve: LoadLevels): string[] {
  const { alike_pct: alike = [], untested_pct: untested = [] } = curve.best ?? {}
  const listed = (loads: readonly number[]): string => loads.map((load) => levelText(curve, load)).join(", ")
  const others = curve.rows.filter((row) => row.ops_per_joule).length - 1
  return [
    ...(alike.length ? [words.alike(listed(alike))] : []),
    ...(untested.length ? [words.untested(untested.length === others ? words.others : listed(untested))] : []),
  ]
}

/** `counted`: levels are counts of clients or threads, not per cent. */
export function loadColumns(curves: readonly LoadLevels[], counted: boolean): Column<LoadLevels>[] {
  const level = (id: string, head: string, of: (row: LoadLevels) => number | null | undefined): Column<LoadLevels> => ({
    id,
    head,
    ...(counted ? {} : { unit: "%" }),
    value: of,
    numeric: true,
    text: (row) => levelText(row, of(row)),
  })
  return [
    { id: "name", head: words.configuration, value: (row) => row.name },
    {
      id: "figure",
      head: words.bestFigure,
      unit: curves[0]?.efficiency_unit,
      value: (row) => row.best?.ops_per_joule.value,
      measured: (row) => fmt.quantity(row.best?.ops_per_joule),
    },
    level("best", words.bestLevel, (row) => row.best?.load_pct),
    level("knee", words.kneeLevel, (row) => row.knee_pct),
    {
      id: "ep",
      head: words.proportionality,
      value: (row) => row.energy_proportionality?.value,
      measured: (row) => fmt.quantity(row.energy_proportionality),
    },
    {
      id: "idle",
      head: words.idleShare,
      unit: "%",
      value: (row) => row.idle_to_peak?.value,
      measured: (row) => percentOf(row.idle_to_peak),
    },
    {
      id: "idle-w",
      head: words.idleW,
      unit: "W",
      value: (row) => idleOf(row)?.value,
      measured: (row) => fmt.quantity(idleOf(row)),
    },
    {
      id: "deviation",
      head: words.deviation,
      unit: "%",
      value: (row) => row.linear_deviation?.value,
      measured: (row) => percentOf(row.linear_deviation),
    },
    {
      id: "levels",
      head: words.levels,
      value: (row) => row.rows.filter((level) => level.ops_per_joule).length,
      numeric: true,
    },
  ]
}

export function publishedColumns(efficiencyUnit: string): Column<PublishedCurve>[] {
  const share = (id: string, head: string, of: (row: PublishedCurve) => number | null): Column<PublishedCurve> => ({
    id,
    head,
    unit: "%",
    value: of,
    measured: (row) => fmt.measured(of(row) === null ? null : 100 * of(row)!),
  })
  const load = (id: string, head: string, of: (row: PublishedCurve) => number | null): Column<PublishedCurve> => ({
    id,
    head,
    unit: "%",
    value: of,
    numeric: true,
    text: (row) => loadText(of(row)),
  })
  return [
    { id: "name", head: words.result, value: (row) => row.name },
    { id: "year", head: words.year, value: (row) => row.year, numeric: true },
    {
      id: "ep",
      head: words.proportionality,
      value: (row) => row.energy_proportionality,
      measured: (row) => fmt.measured(row.energy_proportionality),
    },
    share("idle", words.idleShare, (row) => row.idle_to_peak),
    share("deviation", words.deviation, (row) => row.linear_deviation),
    load("best", words.bestLevel, (row) => row.best_pct),
    {
      id: "figure",
      head: words.bestFigure,
      unit: efficiencyUnit,
      value: (row) => row.best,
      measured: (row) => fmt.measured(row.best),
    },
    load("knee", words.kneeLevel, (row) => row.knee_pct),
  ]
}
