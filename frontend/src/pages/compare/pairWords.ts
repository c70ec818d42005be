/** A configuration against the baseline in a few words. */

import type { Group, Pair } from "@/charts/compare/points"
import { fmt } from "@/format"
import { compareWords as words } from "@/strings/compare"

/** `smallestPct` is the smallest relevant difference [%]. */
export function pairWords(pair: Pair, smallestPct: number): string {
  const margin = marginText(smallestPct)
  const verdict = pair.significant === null ? untested(pair) : tested(pair, margin)
  return pair.p_adjusted === null ? verdict : `${verdict} (${fmt.p(pair.p_adjusted)})`
}

/** Whether the two were measured one after the other, or it is not known, so that time may be what makes the difference. */
const inTime = (pair: Pair): boolean => pair.turns != null && pair.turns !== "in turns"
const untested = (pair: Pair): string => (inTime(pair) && pair.ratio.U95 !== null ? words.notSeparable : words.untested)

function tested(pair: Pair, margin: string): string {
  if (!pair.significant) return pair.equivalent ? words.equal(margin) : words.noDifference
  if (pair.ratio.value > 1) return pair.equivalent ? words.higherWithin(margin) : words.higher
  return pair.equivalent ? words.lowerWithin(margin) : words.lower
}

/** Runs of each that a test needs. */
const FEWEST = 3

/** Whether two configurations are known to have run other versions of the load program. */
function otherPrograms(a: Group, b: Group): boolean {
  const [own, other] = [a, b].map((group) => group.program_versions?.join(", ") ?? "")
  return Boolean(own && other) && own !== other
}

/** Why two configurations are not tested against one another, in a few words; null where they are. */
export function untestedWhy(pair: Pair, a: Group, b: Group | undefined): string | null {
  if (pair.significant !== null || !b) return null
  const why = words.untestedWhy
  if ([a.kind, b.kind].includes("published")) return why.published
  if ((a.kind === "simulated") !== (b.kind === "simulated")) return why.sides
  const fewest = Math.min(a.n, b.n)
  if (fewest === 1) return a.n > 1 ? why.singleBaseline : b.n > 1 ? why.singleHere : why.single
  if (fewest < FEWEST) return why.two
  if (pair.ratio.U95 === null) return why.meters
  if (!inTime(pair)) return otherPrograms(a, b) ? why.programs : why.meters
  return pair.turns === "not recorded" ? why.notRecorded : why.order
}

/** Runs needed to resolve the difference; null where it is resolved, or no number of runs would do. */
export function moreRuns(pair: Pair, smallestPct: number): string | null {
  if (pair.significant || pair.equivalent || !pair.repeats_needed) return null
  return words.more(pair.repeats_needed, marginText(smallestPct))
}

const marginText = (percent: number): string => fmt.withUnit(fmt.atMost(percent, 3), "%")
