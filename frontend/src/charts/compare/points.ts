/** What the comparison figure draws: one point with its interval per configuration. */

import type { Schemas } from "@/api/client"
import { halfWidth } from "@/lib/interval"

export type Compare = Schemas["CompareOut"]
export type Group = Schemas["CompareGroup"]
export type Pair = Schemas["ComparePair"]
export type CompareQuantity = "efficiency" | "power" | "throughput" | "relative"

export interface Point {
  group: Group
  value: number
  /** Null: nobody knows the uncertainty, so no bar may be drawn. */
  interval: [number, number] | null
  /** Half the interval as the service gives it; for published figures it comes from their rounding alone. */
  half: number
}

/** Points of a quantity, best first. Groups without the quantity are left to the list of refusals. */
export function points(compare: Compare, quantity: CompareQuantity, published = true): Point[] {
  const groups = compare.groups.filter((group) => published || group.kind !== "published")
  const groupPoints = groups.flatMap((group) => point(compare, group, quantity) ?? [])
  const lower = lowerIsBetter(compare, quantity)
  return groupPoints.sort((a, b) => (lower ? a.value - b.value : b.value - a.value))
}

/** The direction of the comparison is that of the figure compared by, which the ratios are made of. */
function lowerIsBetter(compare: Compare, quantity: CompareQuantity): boolean {
  if (quantity === "power") return true
  return (quantity === "relative" || quantity === compare.compared_by) && compare.direction === "lower"
}

function point(compare: Compare, group: Group, quantity: CompareQuantity): Point | null {
  if (quantity === "relative") return relative(compare, group)
  const figure = { efficiency: group.efficiency, power: group.power_w, throughput: group.throughput }[quantity]
  if (!figure) return null
  return made(group, figure.value, figure.low, figure.high, figure.complete)
}

/** Ratio to the baseline, as the service computed it; the baseline itself is 1 by definition. */
function relative(compare: Compare, group: Group): Point | null {
  if (group.key === compare.baseline) return { group, value: 1, interval: null, half: 0 }
  const pair = compare.pairs.find((candidate) => candidate.key === group.key)
  const figure = group[compare.compared_by === "power" ? "power_w" : compare.compared_by]
  return pair ? made(group, pair.ratio, pair.low, pair.high, figure?.complete ?? false) : null
}

/** Published figures have rounding only, others without a known instrument scatter only: no bar, but a word. */
function made(group: Group, value: number, low: number | null, high: number | null, complete: boolean): Point {
  const half = halfWidth({ low, high }) ?? 0
  if (low === null || high === null || !complete || !group.traceable || group.kind === "published" || half <= 0)
    return { group, value, interval: null, half }
  return { group, value, interval: [low, high], half }
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
