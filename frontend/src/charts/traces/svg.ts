/** The traces as a vector figure for a paper: the same lanes, bands, window and crosses as on the screen. */

import { ticks as niceTicks } from "d3-array"
import { fmt } from "@/format"
import { t } from "@/strings"
import { lonely } from "../lonely"
import type { TimeWindow } from "../timeWindow"
import type { Lane, LaneSeries } from "./lanes"
import { limitRows } from "./limits"
import { alarmBar, alarmsToDraw, atEdge, begunPhases, PHASE_TINTS, SPAN_ALPHA, type Overlays } from "./overlays"
import { ticksBetween, valueRange } from "../range"
import { levels } from "./steps"

const WIDTH = 900
const [LEFT, RIGHT, TOP, LANE_HEIGHT, GAP, BOTTOM] = [64, 52, 50, 170, 22, 34]
const LEGEND_ROW = 18
const LEGEND_COLUMNS = 3
const [LIMIT_ROW, LIMIT_BAR] = [20, 6]

type Scale = (value: number) => number

export function tracesSvg(
  lanes: readonly Lane[],
  window: TimeWindow,
  overlays: Overlays,
  title: string,
  instant: (at: number) => string = fmt.clock,
): string {
  const series = lanes.flatMap((lane) => lane.series)
  const plots = TOP + lanes.length * (LANE_HEIGHT + GAP)
  const limits = limitRows(overlays.limits ?? [])
  const below = plots + limits.length * LIMIT_ROW
  const height = below + BOTTOM + Math.ceil(series.length / LEGEND_COLUMNS) * LEGEND_ROW
  const x = linear([window.begin, window.end], [LEFT, WIDTH - RIGHT])
  const body = lanes.map((lane, i) => laneSvg(lane, x, TOP + i * (LANE_HEIGHT + GAP), overlays)).join("")
  const bars = limits
    .map(({ label, token, spans }, i) => {
      const top = plots + i * LIMIT_ROW + 6
      const drawn = spans.map(({ begin, end }) => {
        const width = Math.max(1, x(end) - x(begin))
        return `<rect x="${px(x(begin))}" y="${top + LIMIT_ROW - LIMIT_BAR - 2}" width="${px(width)}" height="${LIMIT_BAR}" fill="var(${token})"/>`
      })
      return `${text(LEFT, top + 10, label, "start")}<g clip-path="url(#plot)">${drawn.join("")}</g>`
    })
    .join("")
  const times = ticksBetween(window.begin, window.end, 8)
    .map((at) => text(x(at), plots - 4, instant(at), "middle"))
    .join("")
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" ` +
    `font-family="Inter, Helvetica, Arial, sans-serif" font-size="11">` +
    `<clipPath id="plot"><rect x="${LEFT}" y="0" width="${WIDTH - LEFT - RIGHT}" height="${height}"/></clipPath>` +
    `${text(LEFT, 20, title, "start", 600)}${body}${times}${bars}${legend(series, below + BOTTOM - 6)}</svg>`
  )
}

function legend(series: readonly LaneSeries[], top: number): string {
  const room = (WIDTH - LEFT - RIGHT) / LEGEND_COLUMNS
  return series
    .map((entry, i) => {
      const [x, y] = [LEFT + (i % LEGEND_COLUMNS) * room, top + Math.floor(i / LEGEND_COLUMNS) * LEGEND_ROW]
      const dash = entry.dash.length ? ` stroke-dasharray="${entry.dash.join(" ")}"` : ""
      const line = `<path d="M${x} ${y}h22" stroke="var(${entry.token})" stroke-width="1.5"${dash}/>`
      return line + text(x + 28, y + 4, entry.simulated ? `${entry.label} (${t.kind.simulated})` : entry.label, "start")
    })
    .join("")
}

function laneSvg(lane: Lane, x: Scale, top: number, overlays: Overlays): string {
  const bottom = top + LANE_HEIGHT
  const scales = new Map(lane.units.map((unit) => [unit, unitScale(lane, unit, top, bottom)]))
  const axes = lane.units.map((unit, i) => axisSvg(unit, scales.get(unit)!, i, top))
  const lines = lane.series.map((series) => seriesSvg(series, x, scales.get(series.unit)!.y)).join("")
  const crosses =
    lane.id === "power"
      ? overlays.excluded
          .map(([t, value]) =>
            crossSvg(x(t), atEdge(scales.get(lane.units[0]!)!.y(value), top + 5, top + LANE_HEIGHT - 5)),
          )
          .join("")
      : ""
  return `${underSvg(x, top, overlays)}${axes.join("")}<g clip-path="url(#plot)">${lines}${alarmsSvg(x, top, overlays)}${crosses}</g>`
}

interface UnitScale {
  y: Scale
  ticks: number[]
}

function unitScale(lane: Lane, unit: string, top: number, bottom: number): UnitScale {
  const values = lane.series
    .filter((series) => series.unit === unit)
    .flatMap((series) => [...series.minimum, ...series.maximum])
    .filter((value): value is number => value !== null)
  const low = values.reduce((a, b) => Math.min(a, b), Infinity)
  const high = values.reduce((a, b) => Math.max(a, b), -Infinity)
  const range = valueRange(low, high, false)
  return { y: linear(range, [bottom, top]), ticks: niceTicks(range[0], range[1], 5) }
}

function axisSvg(unit: string, scale: UnitScale, index: number, top: number): string {
  const [at, anchor] = index === 0 ? [LEFT - 8, "end"] : [WIDTH - RIGHT + 8, "start"]
  const labels = fmt.ticks(scale.ticks)
  const marks = scale.ticks.map((tick, i) => {
    const line = `<path d="M${LEFT} ${px(scale.y(tick))}H${WIDTH - RIGHT}" stroke="var(--line)"/>`
    return (index === 0 ? line : "") + text(at, scale.y(tick) + 4, labels[i]!, anchor)
  })
  return marks.join("") + text(at, top - 5, unit, anchor, 600)
}

function underSvg(x: Scale, top: number, overlays: Overlays): string {
  const span = (begin: number, end: number, fill: string, opacity = 1): string =>
    `<rect x="${px(x(begin))}" y="${top}" width="${px(Math.max(0, x(end) - x(begin)))}" height="${LANE_HEIGHT}" fill="${fill}"${opacity < 1 ? ` fill-opacity="${opacity}"` : ""} clip-path="url(#plot)"/>`
  const phases = begunPhases(overlays).map((phase) => {
    const end = phase.end_s ?? phase.begin_s
    return span(phase.begin_s, end, `var(${PHASE_TINTS[phase.name]})`)
  })
  if (overlays.span) {
    const { begin, end } = overlays.span
    const edges = [begin, end].map(
      (edge) => `<path d="M${px(x(edge))} ${top}v${LANE_HEIGHT}" stroke="var(--focus)" clip-path="url(#plot)"/>`,
    )
    phases.push(span(begin, end, "var(--focus)", SPAN_ALPHA), ...edges)
  }
  if (!overlays.window) return phases.join("")
  const { begin, end, guard } = overlays.window
  const edges = [begin, end].map(
    (edge) =>
      span(edge - guard, edge + guard, "var(--guard)") +
      `<path d="M${px(x(edge))} ${top}v${LANE_HEIGHT}" stroke="var(--text-2)" clip-path="url(#plot)"/>`,
  )
  return phases.join("") + edges.join("")
}

function alarmsSvg(x: Scale, top: number, overlays: Overlays): string {
  return alarmsToDraw(overlays)
    .map((alarm) => {
      const { token, height } = alarmBar(alarm)
      const width = Math.max(1, x(alarm.end) - x(alarm.begin))
      return `<rect x="${px(x(alarm.begin))}" y="${top}" width="${px(width)}" height="${height}" fill="var(${token})"/>`
    })
    .join("")
}

function seriesSvg(series: LaneSeries, x: Scale, y: Scale): string {
  const line = path(series, series.mean, x, y)
  const band =
    series.samplesPerBucket > 1
      ? `<path d="${bandPath(series, x, y)}" fill="var(${series.token})" fill-opacity="0.24"/>`
      : ""
  const dash = series.dash.length ? ` stroke-dasharray="${series.dash.join(" ")}"` : ""
  return `${band}<path d="${line}" fill="none" stroke="var(${series.token})" stroke-width="${series.quiet ? 0.9 : 1.5}"${dash}/>${dotsSvg(series, x, y)}`
}

/** The part that no line reaches. */
const dotsSvg = (series: LaneSeries, x: Scale, y: Scale): string =>
  (series.step === "before" ? [] : (lonely(series.mean) ?? []))
    .map(
      (i) => `<circle cx="${px(x(series.t[i]!))}" cy="${px(y(series.mean[i]!))}" r="2" fill="var(${series.token})"/>`,
    )
    .join("")

function path(series: LaneSeries, values: readonly (number | null)[], x: Scale, y: Scale): string {
  if (series.step === "before") {
    return levels(series.t, values, series.period)
      .map(({ begin, end, value, joined }) => `${joined ? "L" : "M"}${px(x(begin))} ${px(y(value))}H${px(x(end))}`)
      .join("")
  }
  const stepped = series.step === "after"
  let [out, pen, last] = ["", false, 0]
  values.forEach((value, i) => {
    if (value === null) return void (pen = false)
    const at = px(x(series.t[i]!))
    if (pen && stepped) out += `H${at}`
    out += `${pen ? "L" : "M"}${at} ${px(y(value))}`
    pen = true
    last = value
  })
  return out + (stepped && pen ? `V${px(y(last))}` : "")
}

/** One closed shape for each stretch without a gap. */
function bandPath(series: LaneSeries, x: Scale, y: Scale): string {
  const stretches: number[][] = [[]]
  series.t.forEach((_, i) => {
    if (series.minimum[i] !== null && series.maximum[i] !== null) stretches.at(-1)!.push(i)
    else if (stretches.at(-1)!.length) stretches.push([])
  })
  return stretches
    .filter((points) => points.length)
    .map((points) => {
      const upper = points.map((i) => `${px(x(series.t[i]!))} ${px(y(series.maximum[i]!))}`)
      const lower = points.reverse().map((i) => `${px(x(series.t[i]!))} ${px(y(series.minimum[i]!))}`)
      return `M${[...upper, ...lower].join("L")}Z`
    })
    .join("")
}

const crossSvg = (x: number, y: number): string =>
  `<path d="M${px(x - 4)} ${px(y - 4)}l8 8m0 -8l-8 8" stroke="var(--status-bad)" stroke-width="1.5"/>`

function text(x: number, y: number, content: string, anchor: string, weight = 400): string {
  const safe = content.replaceAll("&", "&amp;").replaceAll("<", "&lt;")
  const colour = weight > 400 ? "--text-1" : "--text-3"
  return `<text x="${px(x)}" y="${px(y)}" text-anchor="${anchor}" font-weight="${weight}" fill="var(${colour})">${safe}</text>`
}

const px = (value: number): string => String(Math.round(value * 10) / 10)

export function linear([a, b]: readonly [number, number], [from, to]: readonly [number, number]): Scale {
  const slope = b === a ? 0 : (to - from) / (b - a)
  return (value) => from + (value - a) * slope
}
