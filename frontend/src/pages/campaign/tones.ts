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

const RUN: Record<Schemas["RunStatus"] | "planned", Tone> = {
  planned: "idle",
  running: "running",
  complete: "ok",
  failed: "bad",
  aborted: "warn",
  interrupted: "warn",
}

export const campaignTone = (state: Campaign["state"]): Tone => CAMPAIGN[state]
export const runTone = (state: Schemas["RunStatus"] | "planned"): Tone => RUN[state]
