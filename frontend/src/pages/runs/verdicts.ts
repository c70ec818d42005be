/** A run's verdicts at a glance. */

import type { Schemas } from "@/api/client"
import type { Tone } from "@/components/StatusMark.vue"
import { runTone } from "@/pages/campaign/tones"
import { t } from "@/strings"

export type Result = Schemas["Result"]

export interface Glance {
  tone: Tone
  word: string
}

/** How a run stands: that it is not complete, else the rules that failed, or that all passed. */
export function glance(result: Pick<Result, "status" | "verdicts">): Glance {
  if (result.status !== "complete") return { tone: runTone(result.status), word: t.runs.state[result.status] }
  const failed = result.verdicts.filter((verdict) => verdict.outcome === "fail")
  const passed = result.verdicts.filter((verdict) => verdict.outcome === "pass")
  if (failed.length === 1) return { tone: "warn", word: t.runs.failedRule(t.rule(failed[0]!.rule)) }
  if (failed.length > 1) return { tone: "warn", word: t.runs.failedRules(failed.length) }
  return passed.length ? { tone: "ok", word: t.runs.sound } : { tone: "none", word: t.runs.noVerdict }
}

/** Whether a complete run may be used, in one word. */
export function standingOf(result: Pick<Result, "status" | "verdicts">): "sound" | "failed" | "open" {
  if (result.status !== "complete" || result.verdicts.some((verdict) => verdict.outcome === "fail")) return "failed"
  return result.verdicts.some((verdict) => verdict.outcome === "pass") ? "sound" : "open"
}

/** Where a result comes from, in one word. */
export function kindOf(result: Pick<Result, "simulated" | "source">): "measured" | "simulated" | "imported" {
  if (result.simulated) return "simulated"
  return result.source.startsWith("imported") ? "imported" : "measured"
}
