/** Data of the figures of a comparison: one point with its interval per configuration. */

import type { Schemas } from "@/api/client"

export type Compare = Schemas["CompareOut"]
export type Group = Schemas["CompareGroup"]
export type Pair = Schemas["ComparePair"]
export type Claim = Compare["compared_by"]
export type CompareQuantity = Claim | "relative"

export interface Point {
  group: Group
  value: number
  /** Null: the uncertainty is unknown, so no bar may be drawn. */
  interval: [number, number] | null
  /** Half the interval as the service gives it; for published figures it comes from their rounding alone. */
  half: number
  /** Why it is shown without rank; null: it is ranked. */
  unranked: string | null
}

/** Points of a quantity, best first, and after them those shown without rank. Groups without it are omitted. */
export function points(
  compare: Compare,
  quantity: CompareQuantity,
  groups: readonly Group[] = compare.groups,
): Point[] {
  const sign = lowerIsBetter(compare, quantity) ? 1 : -1
  return groups
    .flatMap((group) => pointOf(compare, group, quantity) ?? [])
    .sort((a, b) => Number(a.unranked !== null) - Number(b.unranked !== null) || sign * (a.value - b.value))
}

/** The direction of the comparison is that of the figure compared by, which the ratios are made of. */
export function lowerIsBetter(compare: Compare, quantity: CompareQuantity): boolean {
  if (quantity === "power") return true
  return (quantity === "relative" || quantity === compare.compared_by) && compare.direction === "lower"
}

/** The point of one group; null where it has nothing of the quantity. */
export function pointOf(compare: Compare, group: Group, quantity: CompareQuantity): Point | null {
  if (quantity === "relative") return relative(compare, group)
  const figure = figureOf(group, quantity)
  if (figure) return made(group, figure, figure.complete)
  const shown = group.unranked?.[quantity]
  return shown ? { group, value: shown.value, interval: null, half: 0, unranked: shown.why } : null
}

export const figureOf = (group: Group, claim: Claim): Group["efficiency"] =>
  ({ efficiency: group.efficiency, power: group.power_w, throughput: group.throughput })[claim]

/** Ratio to the baseline, as the service computed it; the baseline itself is 1 by definition. */
function relative(compare: Compare, group: Group): Point | null {
  if (group.key === compare.baseline) return { group, value: 1, interval: null, half: 0, unranked: null }
  const pair = compare.pairs.find((candidate) => candidate.key === group.key)
  const figure = figureOf(group, compare.compared_by)
  if (pair) return made(group, pair.ratio, figure?.complete ?? false)
  const base = compare.groups.find((candidate) => candidate.key === compare.baseline)
  const [own, against] = [group.unranked?.[compare.compared_by], base && figureOf(base, compare.compared_by)]
  return own && against ? { group, value: own.value / against.value, interval: null, half: 0, unranked: own.why } : null
}

/** Published figures have rounding only, others without a known instrument scatter only: no bar, but a word. */
function made(group: Group, { value, low, high, U95 }: Schemas["Interval"], complete: boolean): Point {
  const half = U95 ?? 0
  if (low == null || high == null || !complete || !group.traceable || group.kind === "published" || half <= 0)
    return { group, value, interval: null, half, unranked: null }
  return { group, value, interval: [low, high], half, unranked: null }
}

/** Some watts of a comparison come from a model, others from a machine: each figure names its side. */
export function twoSided(compare: Compare): boolean {
  const kinds = new Set(
    compare.groups.filter((group) => group.kind !== "published").map((group) => group.kind === "simulated"),
  )
  return kinds.size > 1
}

/** Rows, best first, that share their rank range on one side: ties are called ties. Others may lie between. */
export function ties(sorted: readonly Point[]): number[][] {
  const rowsByRank = new Map<string, number[]>()
  sorted.forEach(({ group }, i) => {
    if (group.rank_low == null || group.rank_high == null || group.rank_low === group.rank_high) return
    const key = `${group.kind === "simulated"} ${group.rank_low}-${group.rank_high}`
    rowsByRank.set(key, [...(rowsByRank.get(key) ?? []), i])
  })
  return [...rowsByRank.values()].filter((rows) => rows.length > 1)
}

export function unitOf(compare: Compare, quantity: CompareQuantity): string {
  return { efficiency: compare.efficiency_unit, power: "W", throughput: compare.throughput_unit, relative: "1" }[
    quantity
  ]
}
