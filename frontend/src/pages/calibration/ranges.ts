/** The selected range of a certificate. */

import type { CalibratedRange } from "@/charts/calibration/errorCurve"

export const rangeKey = (range: CalibratedRange): string => `${range.name}/${range.state}`

/** Ranges that serve new results come first; among those, the fitted ones. */
export function shownFirst(ranges: readonly CalibratedRange[]): CalibratedRange | undefined {
  return (
    ranges.find((range) => range.in_use && range.curve.length > 0) ?? ranges.find((range) => range.in_use) ?? ranges[0]
  )
}
