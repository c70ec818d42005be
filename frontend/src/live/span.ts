/** Figures of a live channel over a span, from the readings on this page; gaps are not bridged. */

import type { TrackWindow } from "./track"

export interface SpanFigures {
  /** Mean over the time that readings cover. */
  mean: number
  /** Mean times that time [unit s]. */
  total: number
  minimum: number
  maximum: number
  /** Good readings inside. */
  n: number
  /** Time that no reading covers [s]. */
  missingS: number
}

/** A reading represents the time since the one before it, for at most this many periods. */
const REACH = 3

/** How far beyond the end of a span samples are needed: the first reading behind it covers its last part. */
export const reachS = (periodS: number): number => REACH * periodS

/** Figures of begin < t <= end [Unix s]; null without a good reading. `samples` reach `reachS` beyond the end. */
export function spanFigures(
  { t, value }: TrackWindow,
  begin: number,
  end: number,
  periodS: number,
): SpanFigures | null {
  let [covered, total, n, minimum, maximum] = [0, 0, 0, Infinity, -Infinity]
  let before = Number.NaN
  for (let i = 0; i < t.length; i++) {
    const [at, reading] = [t[i]!, value[i]!]
    const since = Math.max(begin, at - before <= reachS(periodS) ? before : at - periodS)
    const s = Math.min(at, end) - since
    before = at
    if (Number.isNaN(reading)) continue
    if (s > 0) {
      covered += s
      total += reading * s
    }
    if (at <= begin || at > end) continue
    n += 1
    minimum = Math.min(minimum, reading)
    maximum = Math.max(maximum, reading)
  }
  if (n === 0 || covered === 0) return null
  return { mean: total / covered, total, minimum, maximum, n, missingS: Math.max(0, end - begin - covered) }
}
