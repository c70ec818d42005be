/** Tones of campaign and run states. */

import type { Schemas } from "@/api/client"
import type { Tone } from "@/components/StatusMark.vue"
import type { Campaign } from "@/live"

const CAMPAIGN: Record<Campaign["state"], Tone> = {
  idle: "idle",
  running: "running",
  stopping: "stale",
  "waiting-for-operator": "warn",
  complete: "ok",
  failed: "bad",
  aborted: "warn",
}

type RunState = Schemas["CampaignRun"]["state"]

const RUN: Record<RunState, Tone> = {
  planned: "idle",
  running: "running",
  complete: "ok",
  failed: "bad",
  aborted: "warn",
  interrupted: "warn",
  skipped: "none",
}

export const campaignTone = (state: Campaign["state"]): Tone => CAMPAIGN[state]
export const runTone = (state: RunState): Tone => RUN[state]
