/** A run's series sorted into lanes: one axis of time, one lane per kind of quantity. */

import type { Schemas } from "@/api/client"
import { mainPower } from "@/lib/channels"
import { t } from "@/strings"
import { quantityToken } from "../colours"

export type Traces = Schemas["TracesOut"]
export type SeriesOut = Schemas["SeriesOut"]

export interface LaneSeries {
  id: string
  label: string
  unit: string
  token: string
  dash: number[]
  /** Steps hold their value until the next stamp (throughput per interval). */
  stepped: boolean
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
export const MAIN_LANES = ["power", "throughput", "load"] as const

const LANE_OF: Record<string, string> = { utilisation: "load", temperature: "load" }
const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]]
const ROLE_ORDER = ["wall", "secondary", "bmc"]

/** Sort series into lanes; `roles` (of sources) puts the wall meters first, and so makes their lines the solid ones. */
export function lanes(traces: Traces, roles: ReadonlyMap<string, string> = new Map()): Lane[] {
  const membersByLane = new Map<string, LaneSeries[]>()
  for (const series of inRoleOrder(traces.series, roles)) {
    const lane = laneOf(series, traces.series)
    const members = membersByLane.get(lane) ?? []
    membersByLane.set(lane, members)
    members.push(laneSeries(series, members.filter((member) => member.unit === series.unit).length))
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
    // Load comes before the warmth that it makes, and so has the left axis.
    if (series.quantity === "utilisation") return -1
    const at = ROLE_ORDER.indexOf(roles.get(series.source) ?? "")
    return at < 0 ? ROLE_ORDER.length : at
  }
  return [...all].sort((a, b) => place(a) - place(b))
}

/** A device's total power has the first lane; its phases and supplies would only crowd it. */
function laneOf(series: SeriesOut, all: readonly SeriesOut[]): string {
  if (series.quantity !== "power") return LANE_OF[series.quantity] ?? series.quantity
  const total = mainPower(all.filter((other) => other.source === series.source))
  return total?.id === series.id || total?.channel === series.channel ? "power" : "power_parts"
}

function rank(id: string): number {
  const at = (MAIN_LANES as readonly string[]).indexOf(id)
  return at < 0 ? MAIN_LANES.length : at
}

function laneSeries(series: SeriesOut, sameUnitBefore: number): LaneSeries {
  return {
    id: String(series.id),
    label: `${series.source}: ${series.label || series.channel}`,
    unit: series.unit,
    token: quantityToken(series.quantity),
    dash: DASHES[sameUnitBefore % DASHES.length]!,
    stepped: false,
    simulated: series.simulated,
    t: series.t_s,
    mean: series.mean,
    minimum: series.minimum,
    maximum: series.maximum,
    samplesPerBucket: series.decimated ? series.samples_per_bucket : 1,
    totalSamples: series.total_samples,
  }
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
    label: t.quantity.throughput,
    unit: traces.throughput_unit,
    token: quantityToken("throughput"),
    dash: [],
    stepped: true,
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
  if (series.stepped || low === stamps.length - 1) return low
  return at - stamps[low]! <= stamps[low + 1]! - at ? low : low + 1
}
