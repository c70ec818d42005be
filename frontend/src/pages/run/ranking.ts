/** What a run is ranked by, as the service says it. */

import type { Schemas } from "@/api/client"
import type { Tone } from "@/components/StatusMark.vue"
import { rankingWords as words } from "@/strings/ranking"

export type Ranking = Schemas["RankingOut"]

export interface Claim {
  key: Ranking["claim"]
  title: string
  tone: Tone
  word: string
  /** Why not, or whose choice; the verdicts above say what to do. */
  note: string | null
}

export function claims(ranking: readonly Ranking[]): Claim[] {
  return ranking.map((entry) => {
    const shared = { key: entry.claim, title: words.titles[entry.claim] }
    if (!entry.ranked) return { ...shared, tone: "none", word: words.notRanked, note: entry.cause ?? null }
    if (entry.inclusion) return { ...shared, tone: "warn", word: words.byChoice, note: `${entry.inclusion}.` }
    return { ...shared, tone: "ok", word: words.ranked, note: null }
  })
}
