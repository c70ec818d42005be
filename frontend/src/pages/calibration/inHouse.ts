/** The order of an in-house calibration, from what the form holds. */

import { InHouseOrder as defaults } from "@/api/defaults"
import type { InHouseOrder } from "@/api/calibration"
import type { Schemas } from "@/api/client"

export interface InHouseForm {
  campaign: string
  meter: string
  reference: string
  dueOn: string
  laboratory: string
  by: string
}

/** The order; null while something is missing. */
export function orderOf(form: InHouseForm): InHouseOrder | null {
  const { campaign, meter, reference, dueOn, laboratory, by } = form
  const filled = [campaign, meter, reference, dueOn, laboratory.trim(), by.trim()].every(Boolean)
  if (!filled || meter === reference) return null
  const signed = { laboratory: laboratory.trim(), by: by.trim() }
  const compared = { campaign_id: campaign, run_ids: [...defaults.run_ids.default], meter, reference }
  return { ...compared, due_on: dueOn, note: defaults.note.default, ...signed }
}

/** Campaigns of the runs, the newest first. */
export function campaignsOf(runs: readonly Pick<Schemas["RunRow"], "campaign_id" | "created">[]): string[] {
  const newest = [...runs].sort((a, b) => b.created.localeCompare(a.created))
  return [...new Set(newest.flatMap((run) => (run.campaign_id ? [run.campaign_id] : [])))]
}

/** Names of the meters that can be calibrated, or be the reference. */
export const metersOf = (
  meters: readonly Pick<Schemas["MeterCalibrationOut"], "meter" | "role">[],
  role: "wall" | "secondary",
): string[] => meters.filter((meter) => meter.role === role).map((meter) => meter.meter)

/** The day a year after another one, as YYYY-MM-DD. */
export function yearAfter(day: Date): string {
  const next = new Date(Date.UTC(day.getUTCFullYear() + 1, day.getUTCMonth(), day.getUTCDate()))
  return next.toISOString().slice(0, 10)
}
