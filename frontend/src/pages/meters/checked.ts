/** A check of a meter as it is shown: what failed comes first. */

import type { Schemas } from "@/api/client"
import type { Tone } from "@/components/StatusMark.vue"

export type MeterVerdict = Schemas["PlausibilityVerdict"]

const ORDER: Record<MeterVerdict["outcome"], number> = { fail: 0, pass: 1, "not-checked": 2 }

export const OUTCOME_TONES: Record<MeterVerdict["outcome"], Tone> = {
  pass: "ok",
  fail: "warn",
  "not-checked": "none",
}

export const inOrder = (verdicts: readonly MeterVerdict[]): MeterVerdict[] =>
  [...verdicts].sort((a, b) => ORDER[a.outcome] - ORDER[b.outcome])

export function counts(verdicts: readonly MeterVerdict[]): { passed: number; failed: number; none: number } {
  const of = (outcome: MeterVerdict["outcome"]): number =>
    verdicts.filter((verdict) => verdict.outcome === outcome).length
  return { passed: of("pass"), failed: of("fail"), none: of("not-checked") }
}
