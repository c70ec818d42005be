/** A run's verdicts at a glance. */

import { choicesOf } from "@/api/annotations"
import type { Schemas } from "@/api/client"
import type { Tone } from "@/components/StatusMark.vue"
import { rankingWords } from "@/strings/ranking"

export type Result = Schemas["Result"]
export type RunRow = Schemas["RunRow"]
export type RunState = Schemas["RunState"]
type Claim = Schemas["RankingOut"]["claim"]

export interface Glance {
  tone: Tone
  word: string
}

/** How the state of a run is marked; its words are the service's, the same in every list. */
const TONES: Record<RunState["key"], Tone> = {
  sound: "ok",
  unchecked: "none",
  marked: "warn",
  barred: "warn",
  withheld: "warn",
  override: "warn",
  running: "running",
  failed: "bad",
  aborted: "warn",
  interrupted: "warn",
}

/** A run that stopped, or that lacks a figure, says why above its figures; failed rules are listed there one by one. */
export const saidAbove = ({ key, reason }: Pick<RunState, "key" | "reason">): boolean =>
  Boolean(reason) && !["sound", "marked", "barred", "override"].includes(key)

export const glance = ({ key, words }: Pick<RunState, "key" | "words">): Glance => ({ tone: TONES[key], word: words })

/** Why a run is in this state, by which figures it is not ranked, and whose choice it is; empty where nothing is to be said. */
export function qualityNote(row: Pick<RunRow, "state" | "not_ranked" | "inclusion">): string {
  const { key, reason } = row.state
  const causes = new Map<string, string[]>()
  for (const [claim, why] of Object.entries(row.not_ranked ?? {}))
    causes.set(why, [...(causes.get(why) ?? []), rankingWords.titles[claim as Claim]])
  const barred = [...causes].map(([why, titles]) => rankingWords.notRankedBy(titles.join(", "), why))
  const chosen = choicesOf(row.inclusion).map(({ by, reason: why }) => `${rankingWords.by(by)}: ${why}`)
  const complete = key === "barred" || key === "withheld"
  return [
    ...(complete ? [...(reason ? [reason] : []), ...barred] : reason && key !== "override" ? [reason] : []),
    ...chosen,
  ].join("\n")
}

/** Where a result comes from, in one word. */
export function kindOf(result: Pick<Result, "simulated" | "source">): "measured" | "simulated" | "imported" {
  if (result.simulated) return "simulated"
  return result.source.startsWith("imported") ? "imported" : "measured"
}
