/** The wall power of one server, and which server the bench view shows. */

import { watched } from "@/charts/traces/running"
import type { Latest } from "@/live"
import type { Campaign, ChannelHead } from "@/live"
import { currentRun, isActive } from "@/live/campaign"

/** The channels whose sum is what a server draws from the wall. */
export const wallHeads = (heads: readonly ChannelHead[], server: string): ChannelHead[] =>
  watched(heads, server).filter((head) => head.role === "wall")

export interface WallNow {
  /** Sum of the newest readings [W]; null unless all are known. */
  value: number | null
  parts: number[]
  /** Of the oldest reading [s]. */
  ageS: number | null
  fresh: boolean
}

export function wallNow(readings: readonly Latest[]): WallNow {
  const parts = readings.flatMap((reading) => reading.value ?? [])
  const ages = readings.flatMap((reading) => reading.ageS ?? [])
  return {
    value: readings.length > 0 && parts.length === readings.length ? parts.reduce((sum, part) => sum + part, 0) : null,
    parts,
    ageS: ages.length ? Math.max(...ages) : null,
    fresh: readings.every((reading) => reading.state === "ok"),
  }
}

/** Where somebody must do something, else what is measured, else the first that has a meter at the wall. */
export function serverToShow(chosen: string, servers: readonly string[], campaign: Campaign | null): string | null {
  if (servers.includes(chosen)) return chosen
  const busy = campaign && isActive(campaign) ? (campaign.request?.server ?? currentRun(campaign)?.server) : undefined
  return busy !== undefined && servers.includes(busy) ? busy : (servers[0] ?? null)
}
