/** The part of a log that counts: its two fields, the positions of its handles, and its readings. */

import { linePath, bandPath, type Place } from "@/charts/path"
import type { Preview } from "@/api/audits"

export type LogTrace = NonNullable<Preview["results"][number]["trace"]>
/** Begin and end [s from the start of the log]. */
export type Span = [number, number]

const STEPS = 400
const SECONDS = /^(\d{1,9}(?:\.\d{1,9})?) ?s?$/
const WITH_ZONE = /(?:Z|[+-]\d\d:\d\d)$/

/** Step of the handles: a power of ten of which a log has some hundreds or thousands, a tenth of a second at least. */
export const stepOf = (trace: LogTrace): number => Math.max(0.1, 10 ** Math.floor(Math.log10(trace.length_s / STEPS)))

/** Position of an edge; null where its text is in a zone that only the service knows. */
function place(text: string, trace: LogTrace): number | null {
  const seconds = SECONDS.exec(text)?.[1]
  if (seconds !== undefined) return Number(seconds)
  if (!WITH_ZONE.test(text)) return null
  const instant = Date.parse(text)
  return Number.isNaN(instant) ? null : (instant - Date.parse(trace.begin)) / 1000
}

/** Positions of both handles: at the ends of the log where a field is empty or cannot be placed. */
export function spanOf(from: string, to: string, trace: LogTrace): Span {
  const within = (at: number | null, otherwise: number) => Math.min(Math.max(at ?? otherwise, 0), trace.length_s)
  const [begin, end] = [within(place(from, trace), 0), within(place(to, trace), trace.length_s)]
  return begin < end ? [begin, end] : [0, trace.length_s]
}

/** Whether the handles match the fields: a local time, a mistake and edges in the wrong order are not placed. */
export function isPlaced(from: string, to: string, trace: LogTrace): boolean {
  const begin = from ? place(from, trace) : 0
  const end = to ? place(to, trace) : trace.length_s
  return begin !== null && end !== null && begin >= 0 && begin < end && end <= trace.length_s
}

/** Texts of the fields for two handles: nothing at an end of the log. */
export function fieldsOf([begin, end]: Span, trace: LogTrace): { from: string; to: string } {
  const step = stepOf(trace)
  const text = (at: number) => String(Math.round(at * 10) / 10)
  return { from: begin < step / 2 ? "" : text(begin), to: end > trace.length_s - step / 2 ? "" : text(end) }
}

/** Mean of the power between two instants, from the means of the trace; null where nothing was read there. */
export function meanBetween([begin, end]: Span, trace: LogTrace): number | null {
  const width = trace.length_s / trace.power_w.length
  let [sum, over] = [0, 0]
  trace.power_w.forEach((watts, i) => {
    const inside = Math.min(end, (i + 1) * width) - Math.max(begin, i * width)
    if (watts === null || inside <= 0) return
    sum += watts * inside
    over += inside
  })
  return over ? sum / over : null
}

export interface DrawnTrace {
  low: number
  high: number
  line: string
  band: string
}

/** Paths of the trace in a box of 1000 by 100; null where no power was read. Lines pass over spans without a reading. */
export function drawn(trace: LogTrace): DrawnTrace | null {
  const count = trace.power_w.length
  const there = [...trace.power_w.keys()].filter((i) => trace.power_w[i] !== null)
  if (!there.length) return null
  const low = Math.min(...there.map((i) => trace.least_w[i]!))
  const high = Math.max(...there.map((i) => trace.most_w[i]!))
  const at = (i: number, watts: number): Place => [
    (1000 * (i + 0.5)) / count,
    98 - (96 * (watts - low)) / (high - low || 1),
  ]
  const path = (watts: readonly (number | null)[]) => there.map((i) => at(i, watts[i]!))
  return { low, high, line: linePath(path(trace.power_w)), band: bandPath(path(trace.most_w), path(trace.least_w)) }
}
