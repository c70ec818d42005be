/** The remaining runs of an unfinished campaign. */

import type { Campaign } from "@/live"
import { runsLeft, type CampaignRun } from "@/live/campaign"

export interface Unfinished {
  runs: CampaignRun[]
  /** Machines that will get hot again. */
  servers: string[]
  /** Null where the duration of a run is not known. Runs that only the precision may ask for are not counted. */
  expectedS: number | null
}

/** Null where the run table shown is not that of the campaign to resume. */
export function unfinished(campaign: Campaign): Unfinished | null {
  if (!campaign.runs.length || campaign.campaign_id !== campaign.resumable) return null
  const runs = runsLeft(campaign.runs)
  const allKnown = runs.every((run) => run.expected_s != null)
  return {
    runs,
    servers: [...new Set(runs.map((run) => run.server))],
    expectedS: allKnown ? runs.reduce((sum, run) => sum + run.expected_s!, 0) : null,
  }
}
