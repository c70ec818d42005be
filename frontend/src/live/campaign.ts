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

export interface TimelinePhase {
  name: UnderWay["to_come"][number]["name"]
  begin_s: number
  end_s: number
  /** It has not begun: its place is an expectation. */
  toCome: boolean
}

/** The phases of a run under way on its axis of time, those to come too; one that takes longer pushes them back. */
export function timeline(run: Pick<UnderWay, "phases" | "to_come">, now: number): TimelinePhase[] {
  const out: TimelinePhase[] = (run.phases ?? []).map((phase) => ({ ...phase, toCome: false }))
  const last = out.at(-1)
  if (last) last.end_s = Math.max(last.end_s, now)
  let at = last?.end_s ?? now
  for (const { name, expected_s: seconds } of run.to_come ?? []) {
    out.push({ name, begin_s: at, end_s: at + seconds, toCome: true })
    at += seconds
  }
  return out
}

/** How long the present phase still takes [s]; null where its end is not known. */
export const phaseLeft = (of: Phase, now: number): number | null =>
  of.phase_end_s == null ? null : Math.max(0, of.phase_end_s - now)

const OVER: readonly CampaignRun["state"][] = ["complete", "skipped"]

/** Runs still to do, without those that only the precision target may add. */
export const runsLeft = (runs: readonly CampaignRun[]): CampaignRun[] =>
  runs.filter((run) => !OVER.includes(run.state) && !run.optional)

/** The other servers of a barrier group's run. */
export const partners = (run: CampaignRun, runs: readonly CampaignRun[]): string[] =>
  run.together == null
    ? []
    : runs.filter((other) => other.together === run.together && other.order !== run.order).map((other) => other.server)
