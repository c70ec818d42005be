/** Reading a campaign's state. */

import type { Campaign } from "./store"

export type CampaignRun = Campaign["runs"][number]
export type UnderWay = Campaign["under_way"][number]
type Phase = Pick<UnderWay, "phase_begin_s" | "phase_end_s">

const ACTIVE: readonly Campaign["state"][] = ["running", "stopping", "waiting-for-operator"]

export const isActive = (campaign: Campaign | null | undefined): boolean =>
  campaign != null && ACTIVE.includes(campaign.state)

export function currentRun(campaign: Campaign): CampaignRun | null {
  return campaign.run_index == null ? null : (campaign.runs[campaign.run_index] ?? null)
}

/** Share of the present phase that has passed; null where its end is not known. */
export function phaseProgress(of: Phase, now: number): number | null {
  const { phase_begin_s: begin, phase_end_s: end } = of
  if (begin == null || end == null || end <= begin) return null
  return Math.min(1, Math.max(0, (now - begin) / (end - begin)))
}

/** How long the present phase still takes [s]; null where its end is not known. */
export const phaseLeft = (of: Phase, now: number): number | null =>
  of.phase_end_s == null ? null : Math.max(0, of.phase_end_s - now)

const OVER: readonly CampaignRun["state"][] = ["complete", "skipped"]

/** Runs that are still to be made; those that only the precision may ask for are not counted. */
export const runsLeft = (runs: readonly CampaignRun[]): CampaignRun[] =>
  runs.filter((run) => !OVER.includes(run.state) && !run.optional)

/** The other servers of a run that is made together with them. */
export const partners = (run: CampaignRun, runs: readonly CampaignRun[]): string[] =>
  run.together == null
    ? []
    : runs.filter((other) => other.together === run.together && other.order !== run.order).map((other) => other.server)
