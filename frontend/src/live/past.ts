/** Where the samples of this page end, the service's columns of the last day go on. */

import type { LiveColumns, PastRequest } from "@/api/live"
import { envelope } from "@/charts/envelope"
import type { TrackWindow } from "./track"

/** Longest history that the service sends when the page opens [s]; anything older takes a query. */
const SENT_S = 590
/** It sends less of fast channels; their start is rounded, so that one query serves all channels of a source. */
const ROUNDED_S = 5

/** Columns of a picture: stamps, mean, maximum, minimum; null breaks the line. */
export type Drawn = [number[], (number | null)[], (number | null)[], (number | null)[]]

/**
 * What to ask the service for, where the page's samples begin at `first` [Unix s]; a sliding span is requested
 * again only when it has moved by about a column.
 */
export function pastRequest(
  seconds: number,
  fixedEnd: number | null,
  now: number,
  first: number | null,
): PastRequest | null {
  const step = Math.max(5, seconds / 300)
  const end = fixedEnd ?? Math.ceil(now / step) * step
  const begin = end - seconds
  if (begin < now - SENT_S) return { begin_s: Math.max(0, begin - step), end_s: end }
  return first !== null && (fixedEnd ?? now) - seconds < first ? justBefore(first) : null
}

function justBefore(first: number): PastRequest {
  const end = Math.ceil(first / ROUNDED_S) * ROUNDED_S
  return { begin_s: end - SENT_S, end_s: end }
}

/** Columns of the past before the first sample of this page, then its samples, cut to the picture's width. */
export function drawn(
  past: LiveColumns | null,
  samples: TrackWindow,
  begin: number,
  end: number,
  columns: number,
): Drawn {
  const out = before(past, begin, Math.min(samples.t[0] ?? end, end))
  const cut = envelope(samples.t, samples.value, begin, end, columns)
  const nullable = (value: number): number | null => (Number.isNaN(value) ? null : value)
  cut.t.forEach((at, i) => push(out, at, nullable(cut.mean[i]!), nullable(cut.maximum[i]!), nullable(cut.minimum[i]!)))
  return out
}

function before(past: LiveColumns | null, begin: number, first: number): Drawn {
  const out: Drawn = [[], [], [], []]
  if (!past) return out
  let last = Number.NaN
  past.t_s.forEach((at, i) => {
    if (at < begin - past.width_s || at >= first) return
    if (at - last > 1.5 * past.width_s) push(out, (at + last) / 2, null, null, null)
    push(out, at, past.mean[i]!, past.maximum[i]!, past.minimum[i]!)
    last = at
  })
  if (first - last > 2 * past.width_s) push(out, (first + last) / 2, null, null, null)
  return out
}

function push(out: Drawn, at: number, mean: number | null, maximum: number | null, minimum: number | null): void {
  out[0].push(at)
  out[1].push(mean)
  out[2].push(maximum)
  out[3].push(minimum)
}
