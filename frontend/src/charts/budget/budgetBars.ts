/** What the budget figure draws: contributions by their share of the variance, the smallest ones together. */

import type { Schemas } from "@/api/client"

export type BudgetLine = Schemas["BudgetLine"]

export interface BudgetBar {
  name: string
  share: number
  /** Standard uncertainty [unit of the result]; null for several terms together. */
  u: number | null
  evaluation: "A" | "B" | null
}

const MOST_BARS = 10
const SMALL_PCT = 0.05

export const byShare = (budget: readonly BudgetLine[]): BudgetLine[] =>
  [...budget].sort((a, b) => b.share_pct - a.share_pct)

/** The largest contributions first; those too small to see become one bar at the end. */
export function budgetBars(budget: readonly BudgetLine[], restName: (n: number) => string): BudgetBar[] {
  const sorted = byShare(budget)
  let shown = sorted.filter((line) => line.share_pct >= SMALL_PCT)
  if (shown.length > MOST_BARS) shown = shown.slice(0, MOST_BARS - 1)
  if (sorted.length - shown.length === 1) shown = sorted
  const rest = sorted.slice(shown.length)
  const bars: BudgetBar[] = shown.map((line) => ({
    name: line.name,
    share: line.share_pct,
    u: line.u_result,
    evaluation: line.evaluation,
  }))
  if (rest.length) {
    const share = rest.reduce((sum, line) => sum + line.share_pct, 0)
    bars.push({ name: restName(rest.length), share, u: null, evaluation: null })
  }
  return bars
}
