/** Layers drawn under and over a trace: phase tints, the window with its guard, samples that did not count. */

import type uPlot from "uplot"
import type { Schemas } from "@/api/client"
import { tokenValue, withAlpha } from "../colours"
import type { LimitSpan } from "./limits"

/** Seconds in which a channel was beyond a limit; `grave`: one that runs must keep. */
export interface AlarmSpan {
  begin: number
  end: number
  grave: boolean
}

type PhaseName = Schemas["PhaseName"]

export interface Overlays {
  phases: readonly { name: PhaseName; begin_s: number; end_s: number | null }[]
  window: { begin: number; end: number; guard: number } | null
  /** Stamp and value of samples inside the window that were excluded. */
  excluded: readonly (readonly [number, number])[]
  alarms?: readonly AlarmSpan[]
  /** Where processors and GPUs were at a limit; drawn in rows of their own. */
  limits?: readonly LimitSpan[]
  /** The span whose figures are shown. */
  span?: { begin: number; end: number } | null
  /** The present of a run under way [Unix s]; later phases are only expected. */
  now?: number
}

export const SPAN_ALPHA = 0.14
const CROSS_PX = 4
const [ALARM_PX, GRAVE_PX, SHORTEST_PX] = [3, 6, 2]

/** The tint of each phase: the server rests, is under load, or its work is measured. */
export const PHASE_TINTS: Readonly<Record<PhaseName, string>> = {
  idle: "--phase-rest",
  "sync-pattern": "--phase-load",
  ramp: "--phase-load",
  settle: "--phase-load",
  measure: "--phase-measure",
  hold: "--phase-load",
  "cool-down": "--phase-rest",
}

/** How an alarm is drawn along the top: thicker where runs must keep the limit. */
export const alarmBar = ({ grave }: AlarmSpan): { token: string; height: number } =>
  grave ? { token: "--status-bad", height: GRAVE_PX } : { token: "--status-warn", height: ALARM_PX }

/** In the order of drawing: more important ones lie above. */
export const alarmsToDraw = (overlays: Overlays): AlarmSpan[] =>
  [...(overlays.alarms ?? [])].sort((a, b) => Number(a.grave) - Number(b.grave))

/** The phases up to the present: what is only expected has no tint, so that the eye stays with what was measured. */
export function begunPhases({ phases, now }: Pick<Overlays, "phases" | "now">): Overlays["phases"] {
  if (now === undefined) return phases
  return phases
    .filter((phase) => phase.begin_s < now)
    .map((phase) => ({ ...phase, end_s: Math.min(phase.end_s ?? now, now) }))
}

export function drawUnder(plot: uPlot, overlays: Overlays): void {
  for (const phase of begunPhases(overlays)) {
    fillSpan(plot, phase.begin_s, phase.end_s ?? plot.scales.x!.max!, tokenValue(PHASE_TINTS[phase.name]))
  }
  const { window, span } = overlays
  if (span) fillSpan(plot, span.begin, span.end, withAlpha(tokenValue("--focus"), SPAN_ALPHA))
  if (!window || window.guard <= 0) return
  const guard = tokenValue("--guard")
  for (const edge of [window.begin, window.end]) fillSpan(plot, edge - window.guard, edge + window.guard, guard)
}

export function drawOver(plot: uPlot, overlays: Overlays, crosses: boolean): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.setLineDash([])
  ctx.beginPath()
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height)
  ctx.clip()
  if (overlays.window) hairlines(plot, [overlays.window.begin, overlays.window.end])
  if (overlays.span) hairlines(plot, [overlays.span.begin, overlays.span.end], "--focus")
  if (overlays.now !== undefined) hairlines(plot, [overlays.now], "--accent")
  for (const alarm of alarmsToDraw(overlays)) bar(plot, alarm)
  if (crosses) for (const [t, value] of overlays.excluded) cross(plot, t, value)
  ctx.restore()
}

function fillSpan(plot: uPlot, begin: number, end: number, colour: string): void {
  const { ctx, bbox } = plot
  const left = Math.max(plot.valToPos(begin, "x", true), bbox.left)
  const right = Math.min(plot.valToPos(end, "x", true), bbox.left + bbox.width)
  if (right <= left || !colour) return
  ctx.fillStyle = colour
  ctx.fillRect(left, bbox.top, right - left, bbox.height)
}

/** A bar along the top; one that is shorter than a pixel stays visible. */
function bar(plot: uPlot, alarm: AlarmSpan): void {
  const { ctx, bbox } = plot
  const [left, right] = [plot.valToPos(alarm.begin, "x", true), plot.valToPos(alarm.end, "x", true)]
  const { token, height } = alarmBar(alarm)
  ctx.fillStyle = tokenValue(token)
  ctx.fillRect(left, bbox.top, Math.max(right - left, SHORTEST_PX * devicePixelRatio), height * devicePixelRatio)
}

function hairlines(plot: uPlot, stamps: readonly number[], token = "--text-2"): void {
  const { ctx, bbox } = plot
  ctx.strokeStyle = tokenValue(token)
  ctx.lineWidth = devicePixelRatio
  ctx.beginPath()
  for (const t of stamps) {
    const x = Math.round(plot.valToPos(t, "x", true)) + 0.5
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
  }
  ctx.stroke()
}

function cross(plot: uPlot, t: number, value: number): void {
  const { ctx, bbox } = plot
  const arm = CROSS_PX * devicePixelRatio
  const x = plot.valToPos(t, "x", true)
  const y = atEdge(plot.valToPos(value, plot.series[1]!.scale!, true), bbox.top + arm, bbox.top + bbox.height - arm)
  ctx.beginPath()
  ctx.moveTo(x - arm, y - arm)
  ctx.lineTo(x + arm, y + arm)
  ctx.moveTo(x - arm, y + arm)
  ctx.lineTo(x + arm, y - arm)
  // A rim of paper keeps a cross readable on a dense trace.
  for (const [token, width] of [
    ["--surface-1", 4.5],
    ["--status-bad", 1.75],
  ] as const) {
    ctx.strokeStyle = tokenValue(token)
    ctx.lineWidth = width * devicePixelRatio
    ctx.stroke()
  }
}

/** A sample beyond the scale is marked at the edge nearest to it: it was excluded, not deleted. */
export const atEdge = (y: number, top: number, bottom: number): number => Math.min(Math.max(y, top), bottom)
