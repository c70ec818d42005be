/** Columns of the table of a comparison; the quantity compared by comes first, with its ratio to the baseline. */

import { figureOf, type Claim, type Compare, type Group, type Pair } from "@/charts/compare/points"
import type { Column } from "@/components/tableModel"
import { fmt, inverseUnit, prefixed, type Measured, type PlusMinus } from "@/format"
import { t } from "@/strings"
import { compareWords as words } from "@/strings/compare"
import { sortValue } from "./selection"

type Figure = PlusMinus | null | undefined

export function compareColumns(compare: Compare, pairs: ReadonlyMap<string, Pair>): Column<Group>[] {
  const order = [...new Set<Claim>([compare.compared_by, "efficiency", "power", "throughput"])]
  const [first, ...others] = order.map((claim) => figureColumn(compare, claim))
  const modules = compare.groups.some((group) => group.dimm_count != null)
  return [
    { id: "title", head: words.configuration, value: (group) => group.name || group.title, card: "title" },
    { ...first!, card: "figure" },
    {
      id: "relative",
      head: compare.baseline === compare.best ? words.againstBest : words.againstBaseline,
      unit: "%",
      value: (group) => sortValue(compare, group, "relative"),
      measured: (group) => ratio(group, pairs.get(group.key)),
      card: "figure",
    },
    ...bestColumn(compare),
    { id: "verdict", head: words.verdict, value: () => null, sortable: false, card: "line" },
    ...others,
    ...energyColumn(compare),
    ...(modules
      ? [
          {
            id: "modules",
            head: words.modulesHead,
            value: (group: Group) => group.dimm_count,
            numeric: true,
            wideOnly: true,
          },
        ]
      : []),
    { id: "n", head: words.runsHead, value: (group) => group.n, numeric: true, wideOnly: true },
  ]
}

/** The ratio to the best, where another one is the baseline. */
function bestColumn(compare: Compare): Column<Group>[] {
  const against = new Map(compare.against_best?.map((pair) => [pair.key, pair]))
  if (!against.size) return []
  return [
    {
      id: "best",
      head: words.againstBest,
      unit: "%",
      value: (group) => sortValue(compare, group, "best"),
      measured: (group) => ratio(group, against.get(group.key)),
      card: "figure",
    },
  ]
}

function figureColumn(compare: Compare, claim: Claim): Column<Group> {
  const unit = { efficiency: compare.efficiency_unit, power: "W", throughput: compare.throughput_unit }[claim]
  return {
    id: claim,
    head: words.short[claim],
    unit,
    value: (group) => figureOf(group, claim)?.value,
    measured: (group) => {
      const figure = figureOf(group, claim)
      if (figure) return claim === "efficiency" ? derived(figure, group) : direct(figure, group)
      return { ...fmt.measured(group.unranked?.[claim]?.value), u: null }
    },
  }
}

/** Below a hundredth, on either side, readers think in the other unit too, with a prefix that suits most rows. */
function energyColumn(compare: Compare): Column<Group>[] {
  const values = compare.groups.flatMap((group) => group.efficiency?.value ?? [])
  const inverse = inverseUnit(compare.efficiency_unit)
  if (!inverse || !values.some((value) => value < 0.01 || value > 100)) return []
  const middle = [...values].sort((a, b) => a - b)[values.length >> 1]!
  const { factor, unit } = prefixed(1 / middle, inverse)
  return [
    {
      id: "energy",
      head: t.quantity.energy,
      unit,
      value: (group) => group.energy_per_op?.value,
      measured: (group) => derived(scaled(group.energy_per_op, factor), group),
      wideOnly: true,
    },
  ]
}

function scaled(figure: Figure, factor: number): Figure {
  if (!figure) return null
  return { ...figure, value: figure.value * factor, U95: figure.U95 == null ? null : figure.U95 * factor }
}

const half = (figure: Figure, group: Group) => (group.traceable ? figure?.U95 : null)

function derived(figure: Figure, group: Group): Measured {
  if (figure && group.kind === "published") return { value: fmt.rounded(figure.value, figure.U95 ?? 0), u: null }
  return fmt.measured(figure?.value, half(figure, group))
}

function direct(figure: Figure, group: Group): Measured {
  if (figure && group.kind === "published") return { value: fmt.asPrinted(figure.value), u: null }
  return fmt.measured(figure?.value, half(figure, group))
}

function ratio(group: Group, pair: Pair | undefined): Measured {
  if (!pair) return { value: "", u: null }
  const known = group.kind !== "published" && group.traceable ? pair.ratio.U95 : null
  if (known === null) return { value: fmt.bareDifference(pair.ratio.value), u: null }
  const percent = (pair.ratio.value - 1) * 100
  const text = fmt.measured(percent, known * 100)
  return percent > 0 ? { ...text, value: `+${text.value}` } : text
}
