/** Reading a campaign's state. */

import type { Campaign } from "./store"

export type CampaignRun = Campaign["runs"][number]

const ACTIVE: readonly Campaign["state"][] = ["running", "stopping", "waiting-for-operator"]

export const isActive = (campaign: Campaign | null | undefined): boolean =>
  campaign != null && ACTIVE.includes(campaign.state)

export function currentRun(campaign: Campaign): CampaignRun | null {
  return campaign.run_index == null ? null : (campaign.runs[campaign.run_index] ?? null)
}

/** Share of the present phase that has passed; null where its end is not known. */
export function phaseProgress(campaign: Campaign, now: number): number | null {
  const { phase_begin_s: begin, phase_end_s: end } = campaign
  if (begin == null || end == null || end <= begin) return null
  return Math.min(1, Math.max(0, (now - begin) / (end - begin)))
}
