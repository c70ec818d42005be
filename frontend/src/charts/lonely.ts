/** Isolated readings: a line needs two, so each of these is drawn as a dot. */

import type uPlot from "uplot"

type Values = ArrayLike<number | null | undefined>

/** Indices of values with a gap (null) or the end of the series on both sides; null where there is none. */
export function lonely(values: Values): number[] | null {
  const indices: number[] = []
  // Stamps of other series on the same axis hold nothing of this one (undefined), and break no line.
  let [before, alone]: [number | null, number | null] = [null, null]
  for (let i = 0; i <= values.length; i++) {
    const value = i < values.length ? values[i] : null
    if (value === undefined) continue
    if (value === null && alone !== null) indices.push(alone)
    alone = value !== null && before === null ? i : null
    before = value
  }
  return indices.length ? indices : null
}

/** Points of a uPlot series: only isolated readings. */
export const loneDots = (colour: string): uPlot.Series.Points => ({
  show: false,
  size: 4,
  stroke: colour,
  fill: colour,
  filter: (chart, series) => lonely(chart.data[series]!),
})
