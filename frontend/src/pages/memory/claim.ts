/** What a claim came to. */

import type { Schemas } from "@/api/client"
import type { Tone } from "@/components/StatusMark.vue"
import { memoryWords as words } from "@/strings/memory"

export function claimStatus(claim: Schemas["ClaimOut"]): { tone: Tone; word: string } {
  if (claim.refuted) return { tone: "bad", word: words.refuted }
  return claim.equivalent ? { tone: "ok", word: words.equal } : { tone: "none", word: words.open }
}
