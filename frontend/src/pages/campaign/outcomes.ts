/** Outcomes of the runs of a stored campaign, as its strip and its sentence show them. */

import type { StoredCampaign } from "@/api/campaign"
import type { Tone } from "@/components/StatusMark.vue"

export type Outcome = StoredCampaign["outcomes"][number]["outcome"]

export const runsWith = (campaign: StoredCampaign | undefined, outcome: Outcome): number =>
  campaign?.outcomes.filter((count) => count.outcome === outcome).reduce((sum, { runs }) => sum + runs, 0) ?? 0

/** Class of an outcome's part of the strip: outcomes other than good differ in pattern too. */
export const STRIP: Record<Outcome, string> = {
  ok: "bg-[var(--status-ok)]",
  disturbed: "strip-hatched text-[var(--status-warn)]",
  marked: "bg-[var(--status-ok)]",
  barred: "strip-hatched text-[var(--status-warn)]",
  withheld: "strip-hatched text-[var(--status-warn)]",
  failed: "bg-[var(--status-bad)]",
  interrupted: "strip-hatched text-[var(--status-bad)]",
  skipped: "strip-hatched text-[var(--status-idle)]",
  running: "bg-[var(--status-info)]",
  planned: "bg-surface-3",
}

const STATE: Record<StoredCampaign["state"], Tone> = {
  running: "running",
  complete: "ok",
  failed: "bad",
  aborted: "warn",
  interrupted: "warn",
}

/** A campaign has gone well when all of its runs are in order; else its mark must not say so. */
export const historyTone = (campaign: StoredCampaign): Tone =>
  campaign.state === "complete" && campaign.outcomes.some(({ outcome }) => outcome !== "ok" && outcome !== "skipped")
    ? "warn"
    : STATE[campaign.state]

/** From the first start of a campaign to its end [s]; null where its end is not known. */
export const lasted = (campaign: StoredCampaign): number | null =>
  campaign.started_s === null || campaign.ended_s === null ? null : campaign.ended_s - campaign.started_s
