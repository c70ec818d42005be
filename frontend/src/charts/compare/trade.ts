/** Throughput against watts: one point per configuration, the rays of equal efficiency and the front that none beats. */

import { ticks } from "d3-array"
import { pointOf, type Compare, type Group } from "./points"

type Interval = [number, number] | null

export interface TradePoint {
  group: Group
  power: number
  throughput: number
  powerInterval: Interval
  throughputInterval: Interval
  /** Why either is not ranked; null: both are. */
  unranked: string | null
}

/** Configurations that have both quantities. */
export function tradePoints(compare: Compare, groups: readonly Group[]): TradePoint[] {
  return groups.flatMap((group) => {
    const [watts, work] = [pointOf(compare, group, "power"), pointOf(compare, group, "throughput")]
    if (!watts || !work || group.throughput_unit !== compare.throughput_unit) return []
    return {
      group,
      power: watts.value,
      throughput: work.value,
      powerInterval: watts.interval,
      throughputInterval: work.interval,
      unranked: group.unranked?.["efficiency"]?.why ?? null,
    }
  })
}

/**
 * The Pareto front of ranked points, from the least power on: more work per second than everything that draws no more.
 * Simulated and measured points have a front each, and published ones none, because they are not tested.
 */
export function front(points: readonly TradePoint[], simulated: boolean): TradePoint[] {
  const candidates = points
    .filter(({ group, unranked }) => unranked === null && group.kind !== "published")
    .filter(({ group }) => (group.kind === "simulated") === simulated)
    .sort((a, b) => a.power - b.power || b.throughput - a.throughput)
  let best = -Infinity
  return candidates.filter(({ throughput }) => {
    if (throughput <= best) return false
    best = throughput
    return true
  })
}

/** Round efficiencies [work/J] that rays are drawn for, over the span of the points. */
export function rays(points: readonly TradePoint[], count = 5): number[] {
  const efficiencies = points.map(({ power, throughput }) => throughput / power)
  if (!efficiencies.length) return []
  const [low, high] = [Math.min(...efficiencies), Math.max(...efficiencies)]
  const chosen = ticks(low, high, count).filter((value) => value > 0)
  return chosen.length ? chosen : [(low + high) / 2]
}

/** Where a ray y = slope · x leaves a box; null where it never enters. */
export function clipped(
  slope: number,
  box: { x: readonly [number, number]; y: readonly [number, number] },
): [[number, number], [number, number]] | null {
  const from = Math.max(box.x[0], box.y[0] / slope)
  const to = Math.min(box.x[1], box.y[1] / slope)
  return from < to
    ? [
        [from, slope * from],
        [to, slope * to],
      ]
    : null
}
