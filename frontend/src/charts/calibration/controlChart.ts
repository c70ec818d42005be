/** Data of the control chart: readings in time, limits of each baseline, and a word where a rule is broken. */

import type { Schemas } from "@/api/client"

export type CheckChart = Schemas["CheckChartOut"]
export type CheckPoint = Schemas["CheckPointOut"]
export type CheckSegment = Schemas["CheckSegmentOut"]

export const allPoints = (chart: CheckChart): CheckPoint[] => chart.segments.flatMap((segment) => segment.points)

/** Visible range [W]: readings, limits and the target. */
export function powerExtent(chart: CheckChart): [number, number] {
  const limits = chart.segments.flatMap(({ baseline }) =>
    baseline ? [baseline.action_low_w, baseline.action_high_w] : [],
  )
  const target = chart.standard.target_w ?? null
  const all = [...allPoints(chart).map((point) => point.power_w), ...limits, ...(target === null ? [] : [target])]
  return [Math.min(...all), Math.max(...all)]
}

/** Stretch of time of a segment: to the beginning of the next one, so that limits cover all they judge. */
export function segmentSpan(chart: CheckChart, index: number): [number, number] {
  const [own, next] = [chart.segments[index]!.points, chart.segments[index + 1]?.points]
  const [begin, end] = [own[0]!.t_s, own.at(-1)!.t_s]
  return [begin, next?.[0] ? (end + next[0].t_s) / 2 : end]
}

/** Readings that broke a rule, the gravest and newest first. */
export function broken(points: readonly CheckPoint[]): CheckPoint[] {
  const violating = points.filter((point) => point.violations.length)
  const grave = (point: CheckPoint): number => (point.zone === "out of control" ? 0 : 1)
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
