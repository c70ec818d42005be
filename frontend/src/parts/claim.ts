/** What a claim came to. */

import type { Schemas } from "@/api/client"
import type { Tone } from "@/components/StatusMark.vue"
import type { CountedWords } from "@/strings/parts"

export function claimStatus(claim: Schemas["ClaimOut"], words: CountedWords): { tone: Tone; word: string } {
  if (claim.refuted) return { tone: "bad", word: words.refuted }
  return claim.equivalent ? { tone: "ok", word: words.equal } : { tone: "none", word: words.open }
}
