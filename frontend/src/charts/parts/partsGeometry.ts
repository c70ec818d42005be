/** Positions of the figure's points, and where its line leaves the measured counts. */

import type { Schemas } from "@/api/client"

export type Steps = Schemas["PartsOut"]["line"]
type Place = [number, number]

const STEP_PX = 9
/** Markers of a count stay within this share of the way to the next one. */
const DODGE = 0.15

/** How far repeats may lie from their place [px]; ``placesPx`` are all places on the axis, in order. */
export function room(placesPx: readonly number[]): number {
  return DODGE * Math.min(...placesPx.slice(1).map((px, i) => px - placesPx[i]!))
}

/** Place repeats side by side about their position on the axis, in their order, all within ``roomPx`` to each side. */
export function spread<One extends { at: number }>(points: readonly One[], roomPx: number): (One & { dx: number })[] {
  const total = new Map<number, number>()
  for (const { at } of points) total.set(at, (total.get(at) ?? 0) + 1)
  const seen = new Map<number, number>()
  return points.map((point) => {
    const before = seen.get(point.at) ?? 0
    seen.set(point.at, before + 1)
    const others = total.get(point.at)! - 1
    const step = others ? Math.min(STEP_PX, (2 * roomPx) / others) : 0
    return { ...point, dx: (before - others / 2) * step }
  })
}

export interface LineParts {
  measured: Place[]
  /** What lies below and above the measured counts; begins or ends where the measured part does. */
  extrapolated: Place[][]
}

/** Cut the fitted line, which is straight, at the smallest and the largest measured count. */
export function lineParts(line: Steps, counts: readonly number[]): LineParts {
  const [begin, end] = [line[0], line.at(-1)]
  if (!begin || !end || begin[0] === end[0]) return { measured: [], extrapolated: [] }
  const slope = (Number(end[1]) - Number(begin[1])) / (Number(end[0]) - Number(begin[0]))
  const at = (n: number): Place => [n, Number(begin[1]) + slope * (n - Number(begin[0]))]
  const [first, last] = [Math.min(...counts), Math.max(...counts)]
  const extrapolated: Place[][] = []
  if (Number(begin[0]) < first) extrapolated.push([at(Number(begin[0])), at(first)])
  if (Number(end[0]) > last) extrapolated.push([at(last), at(Number(end[0]))])
  return { measured: [at(first), at(last)], extrapolated }
}

export interface Beside {
  x: number
  y: number
  anchor: "start" | "end"
}

/**
 * Position of a line's label: above its band, in the middle, on the side where the line is lower; further on
 * where they would not fit between the edges of the plot.
 */
export function besideLine(
  line: Steps,
  x: (at: number) => number,
  y: (value: number) => number,
  width = 0,
  [left, right] = [-Infinity, Infinity],
): Beside | null {
  const [begin, end] = [line[0], line.at(-1)]
  if (!begin || !end) return null
  const rises = Number(end[1]) >= Number(begin[1])
  const half = Math.floor(line.length / 2)
  const fits = ([at]: Steps[number]): boolean =>
    rises ? x(Number(at)) - width >= left : x(Number(at)) + width <= right
  const beyond = rises ? line.slice(half) : line.slice(0, half + 1).reverse()
  const place = beyond.find(fits) ?? (rises ? end : begin)
  return { x: x(Number(place[0])), y: y(Number(place[3])) - 10, anchor: rises ? "end" : "start" }
}
