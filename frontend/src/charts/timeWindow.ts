/** The visible span of time, and the request to the service when it changes. */

export interface TimeWindow {
  begin: number
  end: number
}

/** Shortest visible span, 0.01 s: meters update more slowly than that. */
const SHORTEST_S = 0.01

/** Keep a window inside its bounds and longer than nothing. */
export function clampWindow(wanted: TimeWindow, bounds: TimeWindow): TimeWindow {
  const length = Math.min(Math.max(wanted.end - wanted.begin, SHORTEST_S), bounds.end - bounds.begin)
  const begin = Math.min(Math.max(wanted.begin, bounds.begin), bounds.end - length)
  return { begin, end: begin + length }
}

/** Scale a window about a point: factor below 1 zooms in. */
export function zoomAbout(window: TimeWindow, at: number, factor: number, bounds: TimeWindow): TimeWindow {
  const begin = at - (at - window.begin) * factor
  return clampWindow({ begin, end: begin + (window.end - window.begin) * factor }, bounds)
}

/** Move a window by a share of its length. */
export function shift(window: TimeWindow, share: number, bounds: TimeWindow): TimeWindow {
  const by = (window.end - window.begin) * share
  return clampWindow({ begin: window.begin + by, end: window.end + by }, bounds)
}

export function isWhole(window: TimeWindow, bounds: TimeWindow): boolean {
  return window.begin <= bounds.begin && window.end >= bounds.end
}

/** Whether a response covers the visible span, within 1 ms for rounding. */
export function covers(answer: { begin_s: number; end_s: number }, window: TimeWindow | null): boolean {
  return window !== null && answer.begin_s <= window.begin + 1e-3 && answer.end_s >= window.end - 1e-3
}

/**
 * The request for a window at a width in pixels; the whole run is asked for without bounds.
 * Widths are rounded to hundreds so that dragging a window edge does not ask again at each pixel.
 */
export function traceRequest(
  window: TimeWindow | null,
  widthPx: number,
): { px: number; begin_s?: number; end_s?: number } {
  const px = Math.min(Math.max(Math.ceil(widthPx / 100) * 100, 200), 4000)
  if (!window) return { px }
  return { px, begin_s: Math.round(window.begin * 1e3) / 1e3, end_s: Math.round(window.end * 1e3) / 1e3 }
}

/** Step of time ticks [s] that gives at most `count` of them. */
export function timeStep(lengthS: number, count: number): number {
  const steps = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200,
    10_800, 21_600, 43_200, 86_400,
  ]
  return steps.find((step) => lengthS / step <= count) ?? Math.ceil(lengthS / count / 86_400) * 86_400
}
