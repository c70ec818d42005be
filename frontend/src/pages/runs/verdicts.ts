/** A run's verdicts at a glance. */

import type { Schemas } from "@/api/client"
import type { Tone } from "@/components/StatusMark.vue"
import { runTone } from "@/pages/campaign/tones"
import { t } from "@/strings"

export type Result = Schemas["Result"]
export type RunRow = Schemas["RunRow"]

export interface Glance {
  tone: Tone
  word: string
}

/** How a run stands: that it is not complete, else the rules that failed, or that all passed. */
export function glance(row: Pick<RunRow, "status" | "standing" | "failed_rules">): Glance {
  if (row.status !== "complete") return { tone: runTone(row.status), word: t.runs.state[row.status] }
  const [first, ...others] = row.failed_rules
  if (others.length) return { tone: "warn", word: t.runs.failedRules(others.length + 1) }
  if (first !== undefined) return { tone: "warn", word: t.runs.failedRule(t.rule(first)) }
  return row.standing === "sound" ? { tone: "ok", word: t.runs.sound } : { tone: "none", word: t.runs.noVerdict }
}

/** Where a result comes from, in one word. */
export function kindOf(result: Pick<Result, "simulated" | "source">): "measured" | "simulated" | "imported" {
  if (result.simulated) return "simulated"
  return result.source.startsWith("imported") ? "imported" : "measured"
}
