/**
 * Quantities: a value and its uncertainty share the last digit; the uncertainty has two significant digits.
 * ± is the expanded uncertainty at 95 %, everywhere; a standard uncertainty is called u and has no ±.
 */

import type { Schemas } from "@/api/client"
import { exponentAt, NBSP, NONE, type NumberFormat } from "./number"

export interface Measured {
  /** The value, or an en dash where there is none. */
  value: string
  /** What stands behind the ±, expanded to 95 %, on the same last digit; null where nobody knows it. */
  u: string | null
}

/** A value with its unit and its ±, as the service sends it. */
export type Quantity = Pick<Schemas["Quantity"], "value" | "unit" | "U95">
/** A value with its ±: a quantity, an interval, or one whose u nobody needs; without U95 there is no ±. */
export type PlusMinus = Schemas["PlusMinus"]

/** Digits shown of a figure whose uncertainty is not known. */
const DIGITS_WITHOUT_UNCERTAINTY = 3
/** Digits shown at most of a quotient of printed figures whose rounding is not known. */
const DIGITS_OF_QUOTIENT = 5

/** Decimals at which an uncertainty shows two significant digits; negative means tens, hundreds, ... */
export function uncertaintyDecimals(u: number): number {
  return 1 - exponentAt(u, 2)
}

/** Format a value with its expanded uncertainty at 95 % [both in the same unit]. */
export function measured(format: NumberFormat, value: number | null | undefined, U95?: number | null): Measured {
  if (value == null || !Number.isFinite(value)) return { value: NONE, u: null }
  if (U95 == null || !Number.isFinite(U95) || U95 <= 0) {
    return { value: format.significant(value, DIGITS_WITHOUT_UNCERTAINTY), u: null }
  }
  const decimals = uncertaintyDecimals(U95)
  return { value: format.fixed(value, decimals), u: format.fixed(U95, decimals) }
}

/**
 * A value whose ± holds only a part of its uncertainty, as the throughput of one run, which has that of counting alone:
 * it never has more digits than a value without ±, and a ± that would ask for more is not shown.
 */
export function partly(format: NumberFormat, value: number | null | undefined, U95?: number | null): Measured {
  const finer =
    value != null && U95 != null && uncertaintyDecimals(U95) > DIGITS_WITHOUT_UNCERTAINTY - 1 - magnitude(value)
  return measured(format, value, finer ? null : U95)
}

/** Decimal exponent of the first digit. */
const magnitude = (value: number): number => Number(value.toExponential().split("e")[1])

/** A figure derived from rounded ones: its last digit is the first that their rounding reaches. */
export function rounded(format: NumberFormat, value: number | null | undefined, rounding: number): string {
  if (value == null || !Number.isFinite(value)) return NONE
  if (!Number.isFinite(rounding) || rounding <= 0) return format.atMost(value, DIGITS_OF_QUOTIENT)
  const decimals = -exponentAt(rounding, 1)
  // A figure as printed lies within half of its last digit: it ends there.
  return format.fixed(value, decimals > 0 && Number(value.toFixed(decimals - 1)) === value ? decimals - 1 : decimals)
}

/** One line of text: "245.3 ± 1.9 W", where 1.9 W is the expanded uncertainty at 95 %. */
export function measuredText(
  format: NumberFormat,
  value: number | null | undefined,
  U95: number | null | undefined,
  unit: string,
): string {
  return textOf(measured(format, value, U95), unit)
}

/** One line of text of a value and what stands behind its ±. */
export function textOf(parts: Measured, unit: string): string {
  const number = parts.u === null ? parts.value : `${parts.value} ± ${parts.u}`
  return parts.value === NONE ? NONE : withUnit(number, unit)
}

/** A value with its standard uncertainty, as budgets have it: "245.3 W, u 0.9 W"; never with ±. */
export function standardText(format: NumberFormat, value: number, u: number | null | undefined, unit: string): string {
  const parts = measured(format, value, u)
  const text = withUnit(parts.value, unit)
  return parts.u === null ? text : `${text}, u ${withUnit(parts.u, unit)}`
}

/** A ratio of which no interval is known, as a difference [%]: the ratio to three digits, signed. */
export function bareDifference(format: NumberFormat, ratio: number): string {
  const percent = (Number(ratio.toPrecision(3)) - 1) * 100
  const text = format.fixed(percent, ratio < 0.9995 ? 1 : 0)
  return percent > 0 ? `+${text}` : text
}

/** A number and its unit, kept on one line; the unit of a pure number is not printed. */
export function withUnit(number: string, unit: string): string {
  return unit === "" || unit === "1" ? number : `${number}${NBSP}${unit}`
}

/** Decimals of a live value: what the displays of such instruments show. */
const LIVE_DECIMALS: Record<string, number> = {
  W: 1,
  VA: 1,
  var: 1,
  V: 1,
  A: 3,
  Hz: 2,
  Wh: 0,
  "°C": 1,
  RPM: 0,
  "%": 1,
  "1": 3,
}

export function liveValue(format: NumberFormat, value: number | null, unit: string): string {
  if (value === null || !Number.isFinite(value)) return NONE
  const decimals = LIVE_DECIMALS[unit]
  return decimals === undefined ? format.significant(value, 4) : format.fixed(value, decimals)
}

/** Labels of axis ticks: as many decimals as tell neighbours apart. */
export function tickLabels(format: NumberFormat, ticks: readonly number[]): string[] {
  const step = ticks.length > 1 ? Math.abs(ticks[1]! - ticks[0]!) : Math.abs(ticks[0] ?? 1) || 1
  const decimals = decimalsOf(ticks, step)
  return ticks.map((tick) => format.fixed(Math.abs(tick) < step * 1e-9 ? 0 : tick, decimals))
}

function decimalsOf(ticks: readonly number[], step: number): number {
  const exact = (decimals: number): boolean =>
    ticks.every((tick) => Math.abs(tick - Number(tick.toFixed(decimals))) < step * 1e-6)
  let decimals = 0
  while (decimals < 12 && !exact(decimals)) decimals += 1
  return decimals
}

/** Unit of energy per operation that belongs to an efficiency: "signs/J" gives "J/sign". */
export function inverseUnit(efficiencyUnit: string): string | null {
  const work = /^(.+)\/J$/.exec(efficiencyUnit)?.[1]
  return work ? `J/${singular(work)}` : null
}

function singular(word: string): string {
  if (word.endsWith("ies")) return `${word.slice(0, -3)}y`
  return word.endsWith("s") ? word.slice(0, -1) : word
}

const PREFIXES: Record<number, string> = { [-12]: "p", [-9]: "n", [-6]: "µ", [-3]: "m", 0: "", 3: "k", 6: "M", 9: "G" }

const ENERGIES = ["J", "kJ", "MJ", "GJ", "TJ"]

/** Work per joule of long work, as a training, per kJ, MJ, ...: a number from 0.1 on, where it would be below 0.001. */
export function perLongWork(of: Quantity): Quantity {
  const work = /^(.+)\/J$/.exec(of.unit)?.[1]
  if (!work || of.value <= 0 || of.value >= 1e-3) return of
  const steps = Math.min(Math.ceil((-1 - Math.log10(of.value)) / 3), ENERGIES.length - 1)
  const factor = 1000 ** steps
  return { value: of.value * factor, unit: `${work}/${ENERGIES[steps]}`, U95: of.U95 == null ? null : of.U95 * factor }
}

/** The SI prefix of a unit with which a value reads between 1 and 1000, and the factor to it. */
export function prefixed(value: number, unit: string): { factor: number; unit: string } {
  const wanted = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)) / 3) * 3
  const power = Math.min(Math.max(wanted, -12), 9)
  return { factor: 10 ** -power, unit: `${PREFIXES[power]}${unit}` }
}

/** p-values with two digits, as the service writes them in sentences; below 0.0001 they are not told apart. */
export function pValue(format: NumberFormat, p: number): string {
  return p < 1e-4 ? `p < ${format.fixed(1e-4, 4)}` : `p = ${format.atMost(p, 2)}`
}
