/** What the comparison figure draws: one point with its interval per configuration. */

import type { Schemas } from "@/api/client"

export type Compare = Schemas["CompareOut"]
export type Group = Schemas["CompareGroup"]
export type Pair = Schemas["ComparePair"]
export type CompareQuantity = "efficiency" | "power" | "throughput" | "relative"

export interface Point {
  group: Group
  value: number
  /** Null: nobody knows the uncertainty, so no bar may be drawn. */
  interval: [number, number] | null
}

/** Points of a quantity, best first. Groups without the quantity are left to the list of refusals. */
export function points(compare: Compare, quantity: CompareQuantity, published = true): Point[] {
  const groups = compare.groups.filter((group) => published || group.kind !== "published")
  const found = groups.flatMap((group) => point(compare, group, quantity) ?? [])
  const lowerIsBetter = quantity === "power" || (quantity !== "throughput" && compare.direction === "lower")
  return found.sort((a, b) => (lowerIsBetter ? a.value - b.value : b.value - a.value))
}

function point(compare: Compare, group: Group, quantity: CompareQuantity): Point | null {
  if (quantity === "relative") return relative(compare, group)
  const figure = { efficiency: group.efficiency, power: group.power_w, throughput: group.throughput }[quantity]
  if (!figure) return null
  return { group, value: figure.value, interval: known(group, figure.low, figure.high) }
}

/** Ratio to the baseline, as the service computed it; the baseline itself is 1 by definition. */
function relative(compare: Compare, group: Group): Point | null {
  if (group.key === compare.baseline) return { group, value: 1, interval: null }
  const pair = compare.pairs.find((one) => one.key === group.key)
  return pair ? { group, value: pair.ratio, interval: known(group, pair.low, pair.high) } : null
}

/** Published figures have rounding only, untraceable ones nothing: neither gets a bar, both get a word. */
function known(group: Group, low: number, high: number): [number, number] | null {
  return group.traceable && group.kind !== "published" && high > low ? [low, high] : null
}

/** Runs of neighbours, best first, that share their rank range: ties are called ties. */
export function ties(sorted: readonly Point[]): [number, number][] {
  const found: [number, number][] = []
  sorted.forEach((point, i) => {
    const { rank_low: low, rank_high: high } = point.group
    if (low == null || high == null || low === high) return
    const last = found.at(-1)
    const before = sorted[i - 1]?.group
    if (last && last[1] === i - 1 && before?.rank_low === low && before.rank_high === high) last[1] = i
    else found.push([i, i])
  })
  return found.filter(([first, last]) => last > first)
}

export function unitOf(compare: Compare, quantity: CompareQuantity): string {
  return { efficiency: compare.efficiency_unit, power: "W", throughput: compare.throughput_unit, relative: "1" }[
    quantity
  ]
}
