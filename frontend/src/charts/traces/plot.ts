/** Options and data of uPlot for one lane. */

import uPlot from "uplot"
import { fmt } from "@/format"
import { tokenValue, withAlpha } from "../colours"
import { loneDots } from "../lonely"
import { ticksBetween, valueRange } from "../range"
import type { TimeWindow } from "../timeWindow"
import type { Lane, LaneSeries } from "./lanes"
import { levelPaths } from "./steps"

export const AXIS_LEFT_PX = 64
export const AXIS_RIGHT_PX = 48
const AXIS_TIME_PX = 28
/** Room above the plot for the name of the lane and its units. */
const TITLE_PX = 24
const TICK_SPACE_PX = 90

const decimated = (series: LaneSeries): boolean => series.samplesPerBucket > 1

/** Columns of all series over one list of stamps; a gap is null, a stamp of another series undefined. */
export function laneData(lane: Lane): uPlot.AlignedData {
  if (lane.series.length === 0) return [[]]
  return uPlot.join(
    lane.series.map((series): uPlot.AlignedData =>
      decimated(series) ? [series.t, series.mean, series.maximum, series.minimum] : [series.t, series.mean],
    ),
    lane.series.map((series) => (decimated(series) ? [1, 1, 1, 1] : [1, 1])),
  )
}

export interface LaneLook {
  height: number
  width: number
  fromZero: boolean
  /** Only the lowest lane shows the time. */
  showTime: boolean
  window: () => TimeWindow
  /** Text of an instant on the axis, where it is not a time of day. */
  instant: ((at: number) => string) | undefined
  syncKey: string
  hooks: uPlot.Hooks.Arrays
}

export function laneOptions(lane: Lane, look: LaneLook): uPlot.Options {
  const scales: uPlot.Scales = { x: { time: false, range: () => [look.window().begin, look.window().end] } }
  for (const unit of lane.units) scales[unit] = { range: (_, low, high) => valueRange(low, high, look.fromZero) }
  return {
    width: look.width,
    height: look.height,
    padding: [TITLE_PX, lane.units.length > 1 ? 0 : AXIS_RIGHT_PX, look.showTime ? 0 : 4, 0],
    legend: { show: false },
    cursor: {
      sync: { key: look.syncKey, setSeries: false },
      drag: { x: true, y: false, setScale: false },
      points: { size: 6 },
      y: false,
    },
    scales,
    axes: [timeAxis(look), ...lane.units.map((unit, i) => valueAxis(unit, i))],
    ...seriesOptions(lane),
    hooks: look.hooks,
  }
}

function timeAxis(look: LaneLook): uPlot.Axis {
  return {
    show: true,
    size: look.showTime ? AXIS_TIME_PX : 0,
    stroke: tokenValue("--text-3"),
    font: axisFont(),
    grid: { stroke: tokenValue("--line"), width: 1 },
    ticks: { show: look.showTime, stroke: tokenValue("--line"), size: 4 },
    splits: (plot) => {
      const { begin, end } = look.window()
      return ticksBetween(begin, end, Math.max(2, Math.floor(plot.bbox.width / devicePixelRatio / TICK_SPACE_PX)))
    },
    values: (_, splits) => {
      if (!look.showTime) return splits.map(() => "")
      if (look.instant) return splits.map(look.instant)
      const fine = splits.length > 1 && splits[1]! - splits[0]! < 1
      return splits.map((at) => (fine ? fmt.clockMs(at) : fmt.clock(at)))
    },
  }
}

function valueAxis(unit: string, index: number): uPlot.Axis {
  return {
    scale: unit,
    side: index === 0 ? 3 : 1,
    size: index === 0 ? AXIS_LEFT_PX : AXIS_RIGHT_PX,
    stroke: tokenValue("--text-3"),
    font: axisFont(),
    space: 30,
    grid: { show: index === 0, stroke: tokenValue("--line"), width: 1 },
    ticks: { show: false },
    gap: 6,
    values: (_, splits) => fmt.ticks(splits),
  }
}

const axisFont = (): string => `12px ${tokenValue("--sans")}`

function seriesOptions(lane: Lane): Pick<uPlot.Options, "series" | "bands"> {
  const series: uPlot.Series[] = [{}]
  const bands: uPlot.Band[] = []
  for (const line of lane.series) {
    const colour = tokenValue(line.token)
    series.push({
      scale: line.unit,
      stroke: colour,
      width: line.quiet ? 1 : 2,
      dash: line.dash,
      paths: pathsOf(line),
      points: line.step === "before" ? { show: false } : loneDots(colour),
    })
    if (!decimated(line)) continue
    const edge = { scale: line.unit, stroke: "transparent", width: 0, points: { show: false } }
    bands.push({ series: [series.length, series.length + 1], fill: withAlpha(colour, line.quiet ? 0.12 : 0.24) })
    series.push(edge, { ...edge })
  }
  return { series, bands }
}

function pathsOf(line: LaneSeries): uPlot.Series.PathBuilder {
  if (line.step === "before") return levelPaths(line.period)
  return line.step === "after" ? uPlot.paths.stepped!({ align: 1 }) : uPlot.paths.linear!()
}
