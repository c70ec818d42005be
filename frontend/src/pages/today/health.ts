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

/** What has no campaign of its own in the list of the night, and why. */
export const withoutCampaign = (taken: readonly TakenPlan[], since: number): TakenPlan[] =>
  taken.filter(({ outcome, at_s }) => at_s >= since && (outcome === "refused" || outcome === "skipped"))

/** The chart as one segment: all of its points are judged by one baseline. */
export function healthSegments({ limits, points }: HealthChart): ChartSegment[] {
  if (!points.length) return []
  const drawn = limits && {
    centre: limits.centre,
    warning: [limits.warning_low, limits.warning_high] as const,
    action: [limits.action_low, limits.action_high] as const,
  }
  return [
    {
      limits: drawn,
      points: points.map((point) => {
        return { ...point, key: point.campaign_id }
      }),
    },
  ]
}
