/** Numbers in the language of the pages: thin spaces between thousands, a true minus sign, never a silent rounding to zero. */

export const THIN = "\u202f"
export const NBSP = "\u00a0"
export const MINUS = "\u2212"
export const NONE = "–"

export interface NumberFormat {
  /** The decimal sign, for aligning columns on it. */
  readonly decimalSign: string
  /** A number with a fixed count of decimals. */
  fixed(value: number, decimals: number): string
  /** A number with a count of significant digits (for figures whose uncertainty nobody states). */
  significant(value: number, digits: number): string
  /** A number with no more than so many significant digits; zeros at its end are not invented. */
  atMost(value: number, digits: number): string
  /** A number as it was printed by its source: all its digits, no more. */
  asPrinted(value: number): string
}

export function createNumberFormat(locale: string): NumberFormat {
  const cache = new Map<number, Intl.NumberFormat>()
  const plain = new Intl.NumberFormat(locale, { maximumFractionDigits: 12, useGrouping: true })
  const decimalSign = plain.formatToParts(0.5).find((part) => part.type === "decimal")?.value ?? "."

  function join(parts: Intl.NumberFormatPart[]): string {
    return parts.map((part) => (part.type === "group" ? THIN : part.type === "minusSign" ? MINUS : part.value)).join("")
  }

  function fixed(value: number, decimals: number): string {
    if (!Number.isFinite(value)) return NONE
    const digits = Math.min(Math.max(decimals, 0), 20)
    let format = cache.get(digits)
    if (!format) {
      const options = { minimumFractionDigits: digits, maximumFractionDigits: digits, useGrouping: true }
      cache.set(digits, (format = new Intl.NumberFormat(locale, options)))
    }
    return join(format.formatToParts(roundTo(value, decimals)))
  }

  return {
    decimalSign,
    fixed,
    significant: (value, digits) => fixed(value, value === 0 ? 0 : digits - 1 - exponentAt(value, digits)),
    atMost: (value, digits) =>
      Number.isFinite(value) ? join(plain.formatToParts(Number(value.toPrecision(digits)))) : NONE,
    asPrinted: (value) => (Number.isFinite(value) ? join(plain.formatToParts(value)) : NONE),
  }
}

/** Decimal exponent of a number once it is rounded to `digits` significant digits: 0.0996 at two digits is 1.0e-1. */
export function exponentAt(value: number, digits: number): number {
  return Number(value.toExponential(digits - 1).split("e")[1])
}

/** Round to a place before the decimal sign; Intl does the places after it. What rounds to zero has no sign. */
function roundTo(value: number, decimals: number): number {
  if (decimals >= 0) return Math.abs(value) * 10 ** decimals < 0.5 ? 0 : value
  const step = 10 ** -decimals
  return Math.round(value / step) * step || 0
}
