/** Data of the cross-check figure: sources that should equal the wall meter, and parts that must be below it. */

import type { Schemas } from "@/api/client"

export type CrossCheck = Schemas["CrossCheck"]
export type Checked = Schemas["CrossCheckedSource"]

/** A row of a group; values in percent of the power at the wall. */
export interface SourceRow {
  name: string
  value: number
  /** Half width of the interval; null: not known. */
  half: number | null
  /** Half width of the limit about zero; null: there is none. */
  limit: number | null
  failed: boolean
  simulated: boolean
}

const failed = (source: Checked): boolean => source.verdict.outcome === "fail"

/** Sources that should show the power at the wall, by their difference from it. */
export function equals(check: CrossCheck): SourceRow[] {
  return check.sources.flatMap((source) =>
    !source.whole || source.share_pct == null
      ? []
      : [
          {
            name: source.source,
            value: source.difference?.value ?? source.share_pct - 100,
            half: source.difference?.U95 ?? null,
            limit: source.limit_pct ?? null,
            failed: failed(source),
            simulated: source.simulated,
          },
        ],
  )
}

/** Parts of the power, by their share of it. */
export function parts(check: CrossCheck): SourceRow[] {
  return check.sources.flatMap((source) =>
    source.whole || source.share_pct == null
      ? []
      : [
          {
            name: source.source,
            value: source.share_pct,
            half: source.difference?.U95 ?? null,
            limit: null,
            failed: failed(source),
            simulated: source.simulated,
          },
        ],
  )
}

/** Ends of the axis of differences: every interval and limit, the same on both sides of zero. */
export function differenceExtent(rows: readonly SourceRow[]): number {
  return Math.max(0.1, ...rows.map((row) => Math.max(Math.abs(row.value) + (row.half ?? 0), row.limit ?? 0)))
}

export const failures = (check: CrossCheck): number => check.sources.filter(failed).length
