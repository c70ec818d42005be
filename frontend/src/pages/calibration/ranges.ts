/** Which of a certificate's ranges is looked at. */

import type { CalibratedRange } from "@/charts/calibration/errorCurve"

export const rangeKey = (range: CalibratedRange): string => `${range.name}/${range.state}`

/** What serves new results comes first; among those, what was fitted. */
export function shownFirst(ranges: readonly CalibratedRange[]): CalibratedRange | undefined {
  return (
    ranges.find((range) => range.in_use && range.curve.length > 0) ?? ranges.find((range) => range.in_use) ?? ranges[0]
  )
}
