/** Several runs over one axis: seconds since the start of each run's window, and their difference to the first. */

import { t } from "@/strings"
import { overlayWords } from "@/strings/overlay"
import { DASHES, indexAt, lanes, type Lane, type LaneSeries, type Traces } from "./lanes"

export interface OverlaidRun {
  id: string
  name: string
  traces: Traces
  roles: ReadonlyMap<string, string>
  /** Start of the window [Unix s], at which the runs are aligned. */
  origin: number
}

/** Distance from which on readings do not count as simultaneous [periods of the slower run]. */
const APART_PERIODS = 1.5

/** Power at the wall, its difference to the first run, and throughput; each run keeps its colour and its dash. */
export function overlaidLanes(runs: readonly OverlaidRun[]): Lane[] {
  const power = runs.map((run, i) => styled(serverPower(run), run, i))
  const throughput = runs.map((run, i) => styled(seriesOf(run, "throughput")[0], run, i))
  const [first, ...others] = power
  const differences = first ? others.map((series) => series && difference(series, first)) : []
  return [
    lane("power", t.lane("power"), power),
    lane("difference", overlayWords.difference(runs[0]?.name ?? ""), differences),
    lane("throughput", t.lane("throughput"), throughput),
  ].filter((made) => made.series.length > 0)
}

function lane(id: string, title: string, all: readonly (LaneSeries | undefined)[]): Lane {
  const series = all.flatMap((line) => (line ? [{ ...line, id: `${id}:${line.id}` }] : []))
  return { id, title, units: [...new Set(series.map((line) => line.unit))], series }
}

const seriesOf = (run: OverlaidRun, id: string): LaneSeries[] =>
  lanes(run.traces, run.roles).find((made) => made.id === id)?.series ?? []

/** Power of the server: its wall meters added up, if each shows its total; without any, that of its first BMC. */
function serverPower(run: OverlaidRun): LaneSeries | undefined {
  const all = seriesOf(run, "power")
  const sources = (role: string): string[] => [...run.roles].flatMap(([source, of]) => (of === role ? source : []))
  const wall = sources("wall")
  const counted = wall.length ? wall : sources("bmc").slice(0, 1)
  const totals = counted.map((source) => all.find((series) => series.key.startsWith(`${source}/`)))
  if (totals.includes(undefined)) return undefined
  const [first, ...others] = totals as LaneSeries[]
  return first && others.reduce((sum, series) => combined(sum, series, (a, b) => a + b), first)
}

const difference = (series: LaneSeries, first: LaneSeries): LaneSeries => combined(series, first, (a, b) => a - b)

/** Values of `series` with those of another at the same time; nothing where one of them has none. */
function combined(series: LaneSeries, other: LaneSeries, by: (a: number, b: number) => number): LaneSeries {
  const reach = APART_PERIODS * Math.max(series.period, other.period)
  const mean = series.mean.map((value, i) => {
    const at = series.t[i]!
    const index = indexAt(other, at)
    const match = index === null || Math.abs(other.t[index]! - at) > reach ? null : other.mean[index]
    return value === null || match == null ? null : by(value, match)
  })
  const simulated = series.simulated || other.simulated
  return { ...series, simulated, mean, minimum: mean, maximum: mean, samplesPerBucket: 1 }
}

function styled(series: LaneSeries | undefined, run: OverlaidRun, index: number): LaneSeries | undefined {
  return (
    series && {
      ...series,
      id: run.id,
      key: run.id,
      label: run.name,
      token: `--c-${index + 1}`,
      dash: DASHES[index % DASHES.length]!,
      quiet: index > 0,
      t: series.t.map((at) => at - run.origin),
    }
  )
}

/** Seconds after the start of the window; negative before it. */
export function elapsed(at: number, format: (seconds: number) => string): string {
  return at < 0 ? `\u2212${format(-at)}` : format(at)
}
