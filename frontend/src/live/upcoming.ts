/** What comes next in a campaign, and when somebody will be needed; apart from its state, which the first page reads. */

import { runsLeft, timeline, type CampaignRun, type TimelinePhase } from "./campaign"
import type { Campaign } from "./store"

export interface Upcoming {
  phase: TimelinePhase | null
  /** The next run of the table. */
  run: Expected | null
  /** The next run that needs an operator's action before it. */
  hands: Expected | null
}

interface Expected {
  run: CampaignRun
  /** When it is expected to begin [Unix s]. */
  at: number
}

/** Runs still to come, each with the time at which it is expected to begin. */
function expected(campaign: Campaign, now: number): Expected[] {
  const ends = campaign.under_way.map((run) => timeline(run, now).at(-1)?.end_s ?? now)
  const running = new Set(campaign.under_way.map((run) => run.run_index))
  let at = Math.max(now, ...ends)
  let step = { key: -1, seconds: 0 }
  return runsLeft(campaign.runs).flatMap((run) => {
    if (running.has(run.order) || run.state !== "planned") return []
    const key = run.together ?? run.order
    if (step.key !== key) at += step.seconds
    step = { key, seconds: Math.max(step.key === key ? step.seconds : 0, run.expected_s ?? 0) }
    return { run, at }
  })
}

/** The next event after the present phase, and its time. */
export function upcoming(campaign: Campaign, now: number): Upcoming {
  const [first] = campaign.under_way
  const phase = (first && timeline(first, now).find((phase) => phase.toCome)) ?? null
  const runs = expected(campaign, now)
  return { phase, run: runs[0] ?? null, hands: runs.find(({ run }) => run.hands) ?? null }
}

/** The next run of each server that needs an operator's action before it, by the server's id. */
export function nextHands(campaign: Campaign, now: number): Map<string, Expected> {
  const next = new Map<string, Expected>()
  for (const call of expected(campaign, now))
    if (call.run.hands && !next.has(call.run.server)) next.set(call.run.server, call)
  return next
}
