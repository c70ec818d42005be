/** Basis of the ± of an interval. */

interface Interval {
  low: number | null
  high: number | null
  complete?: boolean
}

/** Half of a 95 % interval; null where there is none, or where it holds the scatter of repeats alone. */
export function halfWidth(interval: Interval | null | undefined): number | null {
  if (!interval || interval.complete === false || interval.low === null || interval.high === null) return null
  return (interval.high - interval.low) / 2
}
