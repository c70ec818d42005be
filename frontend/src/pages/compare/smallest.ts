/** The smallest difference that matters [%], as a person types it and as an address holds it. */

import { compare_compare } from "@/api/defaults"
import { positive } from "@/lib/positive"

/** Largest value that the service accepts: beyond it nothing is distinguished. */
export const MOST_PCT = compare_compare.smallest_pct.maximum
export const USUAL_PCT = ["1", "2", "5", "10"] as const

/** Null where it is not a number above 0 and up to `MOST_PCT`. */
export function smallestOf(text: string): number | null {
  const value = positive(text)
  return value !== null && value <= MOST_PCT ? value : null
}
