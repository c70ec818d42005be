/** Where processors and GPUs were at a limit of heat, power, current or clock: a row for each device and limit. */

import type { Schemas } from "@/api/client"

export type LimitSpan = Schemas["LimitSpanOut"]

export interface LimitRow {
  label: string
  token: string
  spans: { begin: number; end: number }[]
}

const TOKENS: Record<LimitSpan["kind"], string> = {
  heat: "--status-bad",
  power: "--status-warn",
  current: "--status-warn",
  clock: "--accent",
  alarm: "--text-3",
}

/** Rows in the order in which the service lists devices and limits. */
export function limitRows(limits: readonly LimitSpan[]): LimitRow[] {
  const rows = new Map<string, LimitRow>()
  for (const { device, kind, cause, begin_s: begin, end_s: end } of limits) {
    const label = `${device}: ${cause}`
    const row = rows.get(label) ?? { label, token: TOKENS[kind], spans: [] }
    rows.set(label, row)
    row.spans.push({ begin, end })
  }
  return [...rows.values()]
}
