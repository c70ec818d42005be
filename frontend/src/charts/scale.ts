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

/** A logarithmic axis with ticks at 1, 2 and 5 of each decade, or at its decades where they are many. */
export function logAxis(low: number, high: number, from: number, to: number): Axis {
  const decades = Math.log10(high / low)
  const steps = decades > 4 ? [1] : decades > 2 ? [1, 3] : [1, 2, 5]
  const all: number[] = []
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++)
    all.push(...steps.map((step) => Number(`${step}e${power}`)))
  const first = all.findLast((tick) => tick <= low) ?? low
  const last = all.find((tick) => tick >= high) ?? high
  const at = (value: number) => from + (Math.log(value / first) / Math.log(last / first)) * (to - from)
  return { at, ticks: all.filter((tick) => tick >= first && tick <= last), low: first, high: last }
}
