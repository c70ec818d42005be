/** Data of the error curve: points with their U bars, the fitted curve with its band, in watts or per cent. */

import type { Schemas } from "@/api/client"
import type { Place } from "../path"

export type CalibratedRange = Schemas["RangeOut"]
export type CalibrationPoint = Schemas["PointOut"]
export type CurvePoint = Schemas["CurvePoint"]
export type ErrorUnit = "W" | "%"

export interface ErrorBar {
  point: CalibrationPoint
  power: number
  error: number
  low: number
  high: number
  limit: number | null
}

/** The error in watts, or per cent of the power; at zero power there is no share. */
export const inUnit = (watts: number, power: number, unit: ErrorUnit): number | null =>
  unit === "W" ? watts : power > 0 ? (100 * watts) / power : null

/** Points by power; those at zero power have no per cent and are left to the table. */
export function errorBars(points: readonly CalibrationPoint[], unit: ErrorUnit): ErrorBar[] {
  const bars = points.flatMap((point) => {
    const at = (watts: number) => inUnit(watts, point.reference_w, unit)
    const [error, low, high] = [at(point.error_w), at(point.error_w - point.U_w), at(point.error_w + point.U_w)]
    if (error === null || low === null || high === null) return []
    return [
      { point, power: point.reference_w, error, low, high, limit: point.limit_w === null ? null : at(point.limit_w) },
    ]
  })
  return bars.sort((a, b) => a.power - b.power)
}

export interface CurvePart {
  extrapolated: boolean
  line: Place[]
  low: Place[]
  high: Place[]
}

/** Cut the curve where it leaves the calibrated span; neighbouring parts share the place where they meet. */
export function curveParts(curve: readonly CurvePoint[], unit: ErrorUnit): CurvePart[] {
  const parts: CurvePart[] = []
  let before: CurvePoint | undefined
  for (const step of curve) {
    if (inUnit(step.error_w.value, step.power_w, unit) === null) continue
    let part = parts.at(-1)
    if (!part || part.extrapolated !== step.extrapolated) {
      part = { extrapolated: step.extrapolated, line: [], low: [], high: [] }
      parts.push(part)
      if (before) add(part, before, unit)
    }
    add(part, step, unit)
    before = step
  }
  return parts
}

function add(part: CurvePart, { power_w: power, error_w: { value, low, high } }: CurvePoint, unit: ErrorUnit): void {
  part.line.push([power, inUnit(value, power, unit)!])
  part.low.push([power, inUnit(low!, power, unit)!])
  part.high.push([power, inUnit(high!, power, unit)!])
}

/** Visible range of errors: bars, band, limits and the zero line; low powers must not compress the rest. */
export function errorExtent(bars: readonly ErrorBar[], parts: readonly CurvePart[]): [number, number] {
  const band = parts.filter((part) => !part.extrapolated).flatMap((part) => [...part.low, ...part.high])
  const limits = bars.flatMap((bar) => (bar.limit === null ? [] : [bar.limit, -bar.limit]))
  const all = [0, ...bars.flatMap((bar) => [bar.low, bar.high]), ...band.map(([, error]) => error), ...limits]
  return [Math.min(...all), Math.max(...all)]
}

const ORDER = ["pass", "conditional pass", "conditional fail", "fail"] as const
export type Outcome = (typeof ORDER)[number]

/** Worst verdict of a range; null where the certificate states no limit at all. */
export function worst(points: readonly CalibrationPoint[]): Outcome | null {
  const ranks = points.flatMap((point) => (point.conformity ? [ORDER.indexOf(point.conformity)] : []))
  return ranks.length ? ORDER[Math.max(...ranks)]! : null
}
