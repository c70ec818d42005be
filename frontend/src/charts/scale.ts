/** A linear axis with round ticks. */

import { nice, ticks } from "d3-array"

export interface Axis {
  at: (value: number) => number
  ticks: number[]
  low: number
  high: number
}

/** Map values onto pixels so that the ends are round numbers. */
export function niceAxis(low: number, high: number, from: number, to: number, count: number): Axis {
  const [bottom, top] =
    low === high ? [low - (Math.abs(low) * 0.01 || 1), high + (Math.abs(high) * 0.01 || 1)] : [low, high]
  const [first, last] = nice(bottom, top, count)
  const at = (value: number) => from + ((value - first) / (last - first)) * (to - from)
  return { at, ticks: ticks(first, last, count), low: first, high: last }
}
