/** A run's verdicts at a glance. */

import type { Schemas } from "@/api/client"
import type { Tone } from "@/components/StatusMark.vue"
import { runTone } from "@/pages/campaign/tones"
import { t } from "@/strings"
import { failedRule } from "@/strings/quality"
import { rankingWords } from "@/strings/ranking"

export type Result = Schemas["Result"]
export type RunRow = Schemas["RunRow"]
type Claim = Schemas["RankingOut"]["claim"]

export interface Glance {
  tone: Tone
  word: string
}

type Judged = Pick<RunRow, "status" | "quality" | "failed_rules" | "inclusion">

/** How a run stands: that it is not complete, else whose choice it is, the rules that failed, or that all passed. */
export function glance(row: Judged): Glance {
  if (row.status !== "complete") return { tone: runTone(row.status), word: t.runs.state[row.status] }
  if (row.inclusion && row.quality === "sound") return { tone: "warn", word: rankingWords.byChoice }
  const [first, ...others] = row.failed_rules
  if (others.length) return { tone: "warn", word: t.runs.failedRules(others.length + 1) }
  if (first !== undefined) return { tone: "warn", word: failedRule(first) }
  return row.quality === "sound" ? { tone: "ok", word: t.runs.sound } : { tone: "none", word: t.runs.noVerdict }
}

/** By which figures a run is not ranked and why, and whose choice it is ranked by; empty where nothing is to be said. */
export function qualityNote(row: Pick<RunRow, "reason" | "not_ranked" | "inclusion">): string {
  const causes = new Map<string, string[]>()
  for (const [claim, why] of Object.entries(row.not_ranked ?? {}))
    causes.set(why, [...(causes.get(why) ?? []), rankingWords.titles[claim as Claim]])
  const barred = [...causes].map(([why, titles]) => rankingWords.notRankedBy(titles.join(", "), why))
  const chosen = row.inclusion ? [`${rankingWords.by(row.inclusion.by)}: ${row.inclusion.reason}`] : []
  return [...(row.reason ? [row.reason] : barred), ...chosen].join("\n")
}

/** Where a result comes from, in one word. */
export function kindOf(result: Pick<Result, "simulated" | "source">): "measured" | "simulated" | "imported" {
  if (result.simulated) return "simulated"
  return result.source.startsWith("imported") ? "imported" : "measured"
}
