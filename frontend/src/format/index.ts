/** The one place that turns numbers, quantities and times into text, in the language of the pages. */

import { createNumberFormat } from "./number"
import * as quantity from "./quantity"
import { createTimeFormat } from "./time"

export { inverseUnit, perLongWork, prefixed, type Measured, type PlusMinus, type Quantity } from "./quantity"
export { NONE, THIN } from "./number"
export { typeset } from "./typeset"

export function createFormat(locale: string, zone?: string) {
  const numbers = createNumberFormat(locale)
  return {
    ...numbers,
    ...createTimeFormat(locale, numbers, zone),
    measured: (value: number | null | undefined, U95?: number | null) => quantity.measured(numbers, value, U95),
    quantity: (of: quantity.PlusMinus | null | undefined) => quantity.measured(numbers, of?.value, of?.U95),
    quantityText: (of: quantity.Quantity | null | undefined) => {
      const shown = of && quantity.perLongWork(of)
      return quantity.measuredText(numbers, shown?.value, shown?.U95, shown?.unit ?? "")
    },
    partly: (of: quantity.Quantity | null | undefined) => quantity.partly(numbers, of?.value, of?.U95),
    partlyText: (of: quantity.Quantity | null | undefined) =>
      quantity.textOf(quantity.partly(numbers, of?.value, of?.U95), of?.unit ?? ""),
    rounded: (value: number | null | undefined, rounding: number) => quantity.rounded(numbers, value, rounding),
    measuredText: (value: number | null | undefined, U95: number | null | undefined, unit: string) =>
      quantity.measuredText(numbers, value, U95, unit),
    standardText: (value: number, u: number | null | undefined, unit: string) =>
      quantity.standardText(numbers, value, u, unit),
    bareDifference: (ratio: number) => quantity.bareDifference(numbers, ratio),
    live: (value: number | null, unit: string) => quantity.liveValue(numbers, value, unit),
    ticks: (ticks: readonly number[]) => quantity.tickLabels(numbers, ticks),
    p: (p: number) => quantity.pValue(numbers, p),
    withUnit: quantity.withUnit,
  }
}

export type Format = ReturnType<typeof createFormat>

/**
 * The language of the pages. Numbers follow it and not the reader's: sentences come from the service with a decimal
 * point, and two decimal signs on one screen would be read as thousands.
 */
const LANGUAGE = "en-GB"
export const fmt: Format = createFormat(LANGUAGE)
