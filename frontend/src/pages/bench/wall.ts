/** Which server the bench view shows. */

import type { Campaign } from "@/live"
import { currentRun, isActive } from "@/live/campaign"

/** Where somebody must do something, else what is measured, else the first that has a meter at the wall. */
export function serverToShow(chosen: string, servers: readonly string[], campaign: Campaign | null): string | null {
  if (servers.includes(chosen)) return chosen
  const busy = campaign && isActive(campaign) ? (campaign.request?.server ?? currentRun(campaign)?.server) : undefined
  return busy !== undefined && servers.includes(busy) ? busy : (servers[0] ?? null)
}
