/** Minimum, mean, maximum and energy of a live channel over a span of time. */

import type { LiveColumns } from "@/api/live"
import type { TrackWindow } from "./track"

export interface SpanFigures {
  minimum: number
  mean: number
  maximum: number
  /** Mean times the time with readings: of watts, joules. */
  integral: number
  /** Time of the span that has readings [s]; gaps are not bridged. */
  coveredS: number
}

/** A reading represents the time since the one before it, unless that is longer than this many periods: a gap. */
const GAP_PERIODS = 2.5

interface Sum {
  minimum: number
  maximum: number
  integral: number
  coveredS: number
}

/**
 * Figures of the readings in [begin, end]; null where there are none. Where the page's own samples do not reach back
 * that far, the service's columns of the past replace them.
 */
export function spanFigures(
  past: LiveColumns | null,
  { t, value }: TrackWindow,
  begin: number,
  end: number,
  periodS: number,
): SpanFigures | null {
  const sum: Sum = { minimum: Infinity, maximum: -Infinity, integral: 0, coveredS: 0 }
  const first = t.length ? Math.max(begin, t[0]! - periodS) : end
  past?.t_s.forEach((at, i) => {
    const seconds = Math.min(at + past.width_s / 2, first) - Math.max(at - past.width_s / 2, begin)
    add(sum, seconds, past.mean[i]!, past.minimum[i]!, past.maximum[i]!)
  })
  for (let i = 0; i < t.length; i++) {
    const since = i > 0 ? t[i]! - t[i - 1]! : periodS
    const covers = since > GAP_PERIODS * periodS ? periodS : since
    const seconds = Math.min(t[i]!, end) - Math.max(t[i]! - covers, begin)
    add(sum, seconds, value[i]!, value[i]!, value[i]!)
  }
  if (sum.coveredS <= 0) return null
  return { ...sum, mean: sum.integral / sum.coveredS }
}

function add(sum: Sum, seconds: number, mean: number, minimum: number, maximum: number): void {
  if (seconds <= 0 || Number.isNaN(mean)) return
  sum.minimum = Math.min(sum.minimum, minimum)
  sum.maximum = Math.max(sum.maximum, maximum)
  sum.integral += mean * seconds
  sum.coveredS += seconds
}
