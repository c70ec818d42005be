/** Bench health as the page Today shows it: since when a night counts, the marks of states, the points of a chart. */

import type { HealthChart, TakenPlan } from "@/api/queue"
import type { ChartSegment } from "@/charts/calibration/controlChart"
import type { Tone } from "@/components/StatusMark.vue"

const EVENING_H = 18

/** Yesterday evening in the reader's zone [Unix s]. */
export function lastEvening(now: Date): number {
  const evening = new Date(now)
  evening.setDate(evening.getDate() - 1)
  evening.setHours(EVENING_H, 0, 0, 0)
  return evening.getTime() / 1000
}

export const STATE_TONES: Record<HealthChart["state"], Tone> = {
  "no results": "idle",
  baseline: "running",
  "no limits": "warn",
  "in control": "ok",
  warning: "warn",
  "out of control": "bad",
}

export const TAKEN_TONES: Record<TakenPlan["outcome"], Tone> = {
  started: "running",
  complete: "ok",
  failed: "bad",
  aborted: "warn",
  interrupted: "warn",
  refused: "bad",
  skipped: "idle",
}

/** What ended without a campaign that the list of the night would show: its words alone say why. */
export const withoutCampaign = (taken: readonly TakenPlan[], since: number): TakenPlan[] =>
  taken.filter(({ outcome, at_s, campaign_id }) => at_s >= since && outcome !== "started" && campaign_id === null)

/** The chart as one segment: all of its points are judged by one baseline. */
export const healthSegments = ({ limits, points }: HealthChart): ChartSegment[] =>
  points.length ? [{ limits, points: points.map((point) => ({ ...point, key: point.campaign_id })) }] : []
