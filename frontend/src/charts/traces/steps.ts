/** Readings that average over the time before their stamps, drawn as a level over that time. */

import type uPlot from "uplot"

export type Values = ArrayLike<number | null | undefined>

/** A piece of a step line: the level `value` from `begin` to `end`; `joined` where it follows on the one before. */
export interface Level {
  begin: number
  end: number
  value: number
  joined: boolean
}

/**
 * Levels of averaged readings. Each reaches back to the reading before it; after a gap (null), and at the start, it
 * reaches back over one period, and never into what is before an empty stamp. Undefined is a stamp of another series.
 */
export function levels(stamps: ArrayLike<number>, values: Values, period: number): Level[] {
  const out: Level[] = []
  let last: number | null = null
  let limit = -Infinity
  for (let i = 0; i < stamps.length; i++) {
    const value = values[i]
    if (value === undefined) continue
    const end = stamps[i]!
    if (value === null) {
      ;[last, limit] = [null, end]
      continue
    }
    out.push({ begin: last ?? Math.max(end - period, limit), end, value, joined: last !== null })
    last = end
  }
  return out
}

/** Path builder of uPlot for such readings. */
export function levelPaths(period: number): uPlot.Series.PathBuilder {
  return (plot, index) => {
    const stroke = new Path2D()
    const scale = plot.series[index]!.scale!
    const { min, max } = plot.scales.x!
    for (const level of levels(plot.data[0], plot.data[index]!, period)) {
      if (level.end < min! || level.begin > max!) continue
      const y = plot.valToPos(level.value, scale, true)
      const left = plot.valToPos(level.begin, "x", true)
      if (level.joined) stroke.lineTo(left, y)
      else stroke.moveTo(left, y)
      stroke.lineTo(plot.valToPos(level.end, "x", true), y)
    }
    return { stroke, fill: null, clip: null, band: null, flags: 0 }
  }
}
