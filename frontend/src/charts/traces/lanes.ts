/** A run's series sorted into lanes: one axis of time, one lane per kind of quantity. */

import type { Schemas } from "@/api/client"
import { t } from "@/strings"
import { quantityToken } from "../colours"

export type Traces = Schemas["TracesOut"]
export type SeriesOut = Schemas["SeriesOut"]

/** The time that a value covers: from its stamp onwards (throughput), or the time before it (an averaged reading). */
export type Step = "after" | "before"

export interface LaneSeries {
  id: string
  /** Names the series in the address; the same in every run of a meter. */
  key: string
  label: string
  unit: string
  token: string
  dash: number[]
  /** Null: values between the stamps are not known, and a line joins one to the next. */
  step: Step | null
  /** Usual time between two stamps [s]; a reading after a gap is a mean over this time. */
  period: number
  /** Drawn thinner: not among the series that the result uses. */
  quiet: boolean
  simulated: boolean
  t: number[]
  mean: (number | null)[]
  minimum: (number | null)[]
  maximum: (number | null)[]
  /** Samples behind one drawn point; 1 when every sample is drawn. */
  samplesPerBucket: number
  totalSamples: number
}

export interface Lane {
  id: string
  title: string
  /** One or two units; the second has its axis at the right. */
  units: string[]
  series: LaneSeries[]
}

/** Lanes that every run shows; further quantities are shown when asked for. */
export const MAIN_LANES = ["power", "throughput", "load", "temperature"] as const

const LANE_OF: Record<string, string> = { utilisation: "load" }
/** A step between stamps of this multiple of the usual one is a gap, and no line spans it. */
const GAP_STEPS = 2.5
export const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]]
const ROLE_ORDER = ["wall", "secondary", "bmc"]

/** Sort series into lanes; `roles` (of sources) puts the wall meters first, and so makes their lines the solid ones. */
export function lanes(traces: Traces, roles: ReadonlyMap<string, string> = new Map()): Lane[] {
  const membersByLane = new Map<string, LaneSeries[]>()
  for (const series of inRoleOrder(traces.series, roles)) {
    const lane = laneOf(series)
    const members = membersByLane.get(lane) ?? []
    membersByLane.set(lane, members)
    const same = members.filter((member) => member.unit === series.unit)
    const role = roles.get(series.source)
    // Beside a wall meter all other series are drawn thinner; without one none is.
    const quiet = lane === "power" && role !== "wall" && same.some((member) => !member.quiet)
    members.push(laneSeries(series, same.length, quiet))
  }
  if (traces.throughput.length) membersByLane.set("throughput", [throughputSeries(traces)])
  return [...membersByLane]
    .map(([id, series]) => ({
      id,
      title: t.lane(id),
      units: [...new Set(series.map((member) => member.unit))],
      series,
    }))
    .sort((a, b) => rank(a.id) - rank(b.id) || a.title.localeCompare(b.title))
}

function inRoleOrder(all: readonly SeriesOut[], roles: ReadonlyMap<string, string>): SeriesOut[] {
  const place = (series: SeriesOut): number => {
    const at = ROLE_ORDER.indexOf(roles.get(series.source) ?? "")
    return at < 0 ? ROLE_ORDER.length : at
  }
  return [...all].sort((a, b) => place(a) - place(b))
}

/** A device's total power has the first lane; its phases and supplies would only crowd it. */
function laneOf({ quantity, total }: SeriesOut): string {
  if (quantity !== "power") return LANE_OF[quantity] ?? quantity
  return total ? "power" : "power_parts"
}

function rank(id: string): number {
  const at = (MAIN_LANES as readonly string[]).indexOf(id)
  return at < 0 ? MAIN_LANES.length : at
}

function laneSeries(series: SeriesOut, sameUnitBefore: number, quiet: boolean): LaneSeries {
  return {
    id: String(series.id),
    key: `${series.source}/${series.channel}`,
    label: `${series.source}: ${series.label || series.channel}`,
    unit: series.unit,
    token: quantityToken(series.quantity),
    dash: DASHES[sameUnitBefore % DASHES.length]!,
    step: series.kind === "averaged" && !series.decimated ? "before" : null,
    quiet,
    simulated: series.simulated,
    ...withGaps(series),
    samplesPerBucket: series.decimated ? series.samples_per_bucket : 1,
    totalSamples: series.total_samples,
  }
}

type Columns = Pick<LaneSeries, "t" | "mean" | "minimum" | "maximum" | "period">

/** Put an empty stamp into each stretch without readings, so that nothing is drawn over it. */
function withGaps({ t_s, mean, minimum, maximum }: SeriesOut): Columns {
  const steps = t_s.slice(1).map((at, i) => at - t_s[i]!)
  const period = steps.sort((a, b) => a - b)[steps.length >> 1] ?? 0
  const out: Columns = { t: [], mean: [], minimum: [], maximum: [], period }
  const push = (at: number, ...values: (number | null)[]): void => {
    out.t.push(at)
    out.mean.push(values[0]!)
    out.minimum.push(values[1]!)
    out.maximum.push(values[2]!)
  }
  t_s.forEach((at, i) => {
    const before = t_s[i - 1]
    if (before !== undefined && at - before > GAP_STEPS * period) push((before + at) / 2, null, null, null)
    push(at, mean[i]!, minimum[i]!, maximum[i]!)
  })
  return out
}

/** Throughput holds over each interval; between intervals that do not touch the line is broken. */
function throughputSeries(traces: Traces): LaneSeries {
  const stamps: number[] = []
  const rates: (number | null)[] = []
  traces.throughput.forEach((interval, i) => {
    stamps.push(interval.begin_s)
    rates.push(interval.rate)
    const next = traces.throughput[i + 1]
    if (next && next.begin_s - interval.end_s < 1e-6) return
    stamps.push(interval.end_s, interval.end_s + 1e-6)
    rates.push(interval.rate, null)
  })
  return {
    id: "throughput",
    key: "throughput",
    label: t.quantity.throughput,
    unit: traces.throughput_unit,
    token: quantityToken("throughput"),
    dash: [],
    step: "after",
    period: 0,
    quiet: false,
    simulated: false,
    t: stamps,
    mean: rates,
    minimum: rates,
    maximum: rates,
    samplesPerBucket: 1,
    totalSamples: traces.throughput.length,
  }
}

/** Index of the sample that a cursor at `at` points to: the nearest one, or for steps the one that holds. */
export function indexAt(series: LaneSeries, at: number): number | null {
  const { t: stamps } = series
  if (stamps.length === 0 || at < stamps[0]! - 1e-9) return null
  let [low, high] = [0, stamps.length - 1]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (stamps[middle]! <= at) low = middle
    else high = middle - 1
  }
  if (series.step === "after" || low === stamps.length - 1) return low
  // The mean that holds at an instant has the next stamp.
  if (series.step === "before") return stamps[low]! < at ? low + 1 : low
  return at - stamps[low]! <= stamps[low + 1]! - at ? low : low + 1
}

/** The lanes without the series that are switched off; empty lanes are removed. */
export function visibleLanes(all: readonly Lane[], hidden: ReadonlySet<string>): Lane[] {
  return all.flatMap((lane) => {
    const series = lane.series.filter((member) => !hidden.has(member.key))
    if (!series.length) return []
    return [{ ...lane, units: [...new Set(series.map((member) => member.unit))], series }]
  })
}
