/** Alarms in the window of a run, as its disclosure names them. */

import type { AlarmSpan } from "@/charts/traces/overlays"

export interface RunAlarm extends AlarmSpan {
  number: number
  source: string
  channel: string
  side: "low" | "high"
  limit: number
  unit: string
  worst: number
  /** False: it lasted at least until `end`, and no reading told when it was over. */
  ended: boolean
}

/** What is no alarm is passed over: archives of other builds may say other things. */
export function runAlarms(disclosure: Record<string, unknown>): RunAlarm[] {
  const crossed = record(disclosure["alarms"])["crossed"]
  return Array.isArray(crossed) ? crossed.flatMap((one: unknown) => alarm(record(one))) : []
}

/** Alarms beyond those that the record holds. */
export function leftOut(disclosure: Record<string, unknown>): number {
  return numeric(record(disclosure["alarms"])["left_out"]) ?? 0
}

function alarm(one: Record<string, unknown>): RunAlarm[] {
  const [number, limit, worst] = [one["number"], one["limit"], one["worst"]].map(numeric)
  const [begin, seen, end] = [one["begin_ns"], one["seen_ns"], one["end_ns"]].map(numeric)
  const { source, channel, side, unit } = one
  if (typeof source !== "string" || typeof channel !== "string" || typeof unit !== "string") return []
  if (number == null || limit == null || worst == null || begin == null || seen == null) return []
  if (side !== "low" && side !== "high") return []
  const span = {
    begin: begin / 1e9,
    end: (end ?? seen) / 1e9,
    ended: end != null,
    grave: one["run_must_keep"] === true,
  }
  return [{ number, source, channel, side, limit, unit, worst, ...span }]
}

const numeric = (value: unknown): number | null => (typeof value === "number" ? value : null)
const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}
