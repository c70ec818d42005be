/** Path data of lines and bands. */

export type Place = readonly [number, number]

export const linePath = (points: readonly Place[]): string =>
  points.map(([x, y], i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("")

/** The area between an upper and a lower line over the same places. */
export const bandPath = (upper: readonly Place[], lower: readonly Place[]): string =>
  upper.length ? `${linePath([...upper, ...[...lower].reverse()])}Z` : ""
