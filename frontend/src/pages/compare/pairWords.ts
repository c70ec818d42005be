/** A configuration against the baseline in a few words. */

import type { Pair } from "@/charts/compare/points"
import { fmt } from "@/format"
import { compareWords as words } from "@/strings/compare"

/** `smallestPct` is the smallest difference of interest [%]. */
export function pairWords(pair: Pair, smallestPct: number): string {
  const margin = marginText(smallestPct)
  const said = pair.significant === null ? words.untested : tested(pair, margin)
  return pair.p_adjusted === null ? said : `${said} (${fmt.p(pair.p_adjusted)})`
}

function tested(pair: Pair, margin: string): string {
  if (!pair.significant) return pair.equivalent ? words.equal(margin) : words.noDifference
  if (pair.ratio > 1) return pair.equivalent ? words.higherWithin(margin) : words.higher
  return pair.equivalent ? words.lowerWithin(margin) : words.lower
}

/** What it would take to tell; null where that is told already, or no number of runs would. */
export function moreRuns(pair: Pair, smallestPct: number): string | null {
  if (pair.significant || pair.equivalent || !pair.repeats_needed) return null
  return words.more(pair.repeats_needed, marginText(smallestPct))
}

const marginText = (percent: number): string => fmt.withUnit(fmt.atMost(percent, 3), "%")
