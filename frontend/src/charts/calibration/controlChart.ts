/** Data of a control chart: values in time, limits of each baseline, and a word where a rule is broken. */

import type { Schemas } from "@/api/client"
import { calibration } from "@/strings/calibration"

export type CheckChart = Schemas["CheckChartOut"]
export type CheckPoint = Schemas["CheckPointOut"]

type Judged = Pick<CheckPoint, "violations" | "zone" | "in_baseline">

export interface ChartPoint {
  key: string
  t_s: number
  value: number
  z: number | null
  zone: CheckPoint["zone"]
  violations: readonly string[]
}

interface Band {
  low: number
  high: number
}

export interface ChartLimits {
  centre: number
  warning: Band
  action: Band
}

/** Values that one baseline judges; the first of them are the baseline itself. */
export interface ChartSegment {
  limits: ChartLimits | null
  points: readonly ChartPoint[]
}

export const pointsOf = (segments: readonly ChartSegment[]): ChartPoint[] => segments.flatMap(({ points }) => points)

export const allReadings = (chart: CheckChart): CheckPoint[] => chart.segments.flatMap((segment) => segment.points)

/** The readings of a check standard [W], as a control chart draws them. */
export const checkSegments = (chart: CheckChart): ChartSegment[] =>
  chart.segments.map(({ baseline: b, points }) => ({
    limits: b && {
      centre: b.centre_w,
      warning: { low: b.warning_low_w, high: b.warning_high_w },
      action: { low: b.action_low_w, high: b.action_high_w },
    },
    points: points.map(({ at, t_s, power_w, z, zone, violations }) => {
      return { key: at, t_s, value: power_w, z, zone, violations }
    }),
  }))

/** What a point was judged, in words; empty where no limits judge it. */
export const judgement = ({ violations, zone, in_baseline }: Judged): string =>
  violations.join("; ") || (zone ? calibration.zones[zone] : in_baseline ? calibration.inBaseline : "")

/** Visible range: values, limits and the target. */
export function valueExtent(segments: readonly ChartSegment[], target: number | null): [number, number] {
  const limits = segments.flatMap(({ limits: of }) => (of ? [of.action.low, of.action.high] : []))
  const all = [...pointsOf(segments).map((point) => point.value), ...limits, ...(target === null ? [] : [target])]
  return [Math.min(...all), Math.max(...all)]
}

/** Stretch of time of a segment: to the beginning of the next one, so that limits cover all they judge. */
export function segmentSpan(segments: readonly ChartSegment[], index: number): [number, number] {
  const [own, next] = [segments[index]!.points, segments[index + 1]?.points]
  const [begin, end] = [own[0]!.t_s, own.at(-1)!.t_s]
  return [begin, next?.[0] ? (end + next[0].t_s) / 2 : end]
}

/** Points that broke a rule, the gravest and newest first. */
export function broken<Point extends Pick<CheckPoint, "t_s" | "zone"> & { violations: readonly string[] }>(
  points: readonly Point[],
): Point[] {
  const violating = points.filter((point) => point.violations.length)
  const grave = (point: Point): number => (point.zone === "out of control" ? 0 : 1)
  return violating.sort((a, b) => grave(a) - grave(b) || b.t_s - a.t_s)
}

const DAY = 86_400

/** Round days for the axis: at most `count` ticks, whole multiples of a day, week or about a month. */
export function dayTicks(begin: number, end: number, count: number): number[] {
  const days = (end - begin) / DAY
  const step =
    [1, 2, 7, 14, 28, 56, 91, 182, 364].find((interval) => days / interval <= count) ??
    364 * Math.ceil(days / 364 / count)
  const first = Math.ceil(begin / DAY) * DAY
  return Array.from(
    { length: Math.max(1, Math.floor((end - first) / (step * DAY)) + 1) },
    (_, i) => first + i * step * DAY,
  )
}
