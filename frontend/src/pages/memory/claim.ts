/** Numbers that a reader types into the address, and what a claim came to. */

import type { Schemas } from "@/api/client"
import type { Tone } from "@/components/StatusMark.vue"
import { memoryWords as words } from "@/strings/memory"

/** Watts as typed, with either decimal sign; null for what is no positive number. */
export function watts(text: string): number | null {
  const value = Number(text.trim().replace(",", "."))
  return text.trim() && Number.isFinite(value) && value > 0 ? value : null
}

export function claimStanding(claim: Schemas["ClaimOut"]): { tone: Tone; word: string } {
  if (claim.refuted) return { tone: "bad", word: words.refuted }
  return claim.equivalent ? { tone: "ok", word: words.equal } : { tone: "none", word: words.open }
}
