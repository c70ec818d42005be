/** Ranges and ticks of the axes of traces, live and stored. */

import { timeStep } from "./timeWindow"

/** Free range with a margin of 6 %, or from zero; a flat line still gets a range. */
export function valueRange(low: number | null, high: number | null, fromZero: boolean): [number, number] {
  if (low === null || high === null || !Number.isFinite(low) || !Number.isFinite(high)) return [0, 1]
  const [bottom, top] = fromZero ? [Math.min(0, low), Math.max(0, high)] : [low, high]
  const margin = (top - bottom) * 0.06 || Math.max(Math.abs(top) * 0.005, 0.5)
  return [fromZero && bottom === 0 ? 0 : bottom - margin, top + margin]
}

export function ticksBetween(begin: number, end: number, count: number): number[] {
  const step = timeStep(end - begin, count)
  const ticks: number[] = []
  for (let i = Math.ceil(begin / step); i * step <= end; i++) ticks.push(i * step)
  return ticks
}
