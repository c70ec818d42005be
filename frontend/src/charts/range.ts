/** Ranges and ticks of the axes of traces, live and stored. */

import { timeStep } from "./timeWindow"

/** Free range with a margin of 6 %, or from zero; a flat line still gets a range. */
export function valueRange(low: number | null, high: number | null, fromZero: boolean): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1]
  const [bottom, top] = fromZero ? [Math.min(0, low), Math.max(0, high)] : [low, high]
  const margin = (top - bottom) * 0.06 || Math.max(Math.abs(top) * 0.005, 0.5)
  return [fromZero && bottom === 0 ? 0 : bottom - margin, top + margin]
}

/** Least span of a live trace, as a share of what is read: noise fills no height. */
const LIVE_SHARE = 0.05

/** Free range of a live trace, never so narrow that the noise of a steady reading looks like a signal. */
export function liveRange(low: number | null, high: number | null): [number, number] {
  if (low === null || high === null) return valueRange(low, high, false)
  const missing = LIVE_SHARE * Math.max(Math.abs(low), Math.abs(high)) - (high - low)
  return missing > 0 ? [low - missing / 2, high + missing / 2] : valueRange(low, high, false)
}

export function ticksBetween(begin: number, end: number, count: number): number[] {
  const step = timeStep(end - begin, count)
  const ticks: number[] = []
  for (let i = Math.ceil(begin / step); i * step <= end; i++) ticks.push(i * step)
  return ticks
}
