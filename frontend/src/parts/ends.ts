/** The ends of an interval that stands beside its value. */

import type { Schemas } from "@/api/client"
import { fmt } from "@/format"

/** Both ends with the decimals of the value; null: one is not known. The interval need not be symmetric. */
export function ends(of: Schemas["Interval"] | Schemas["Interval95"] | null | undefined): [string, string] | null {
  if (of?.low == null || of.high == null) return null
  const decimals = fmt.measured(of.value, of.U95).value.split(fmt.decimalSign)[1]?.length ?? 0
  return [fmt.fixed(of.low, decimals), fmt.fixed(of.high, decimals)]
}
