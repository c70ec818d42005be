/** Readings that stand alone: a line needs two, so each of these is drawn as a dot. */

/** Indices of values with a gap (null) or the end of the series on both sides; null where there is none. */
export function lonely(values: ArrayLike<number | null | undefined>): number[] | null {
  const found: number[] = []
  for (let i = 0; i < values.length; i++)
    if (values[i] != null && values[i - 1] == null && values[i + 1] == null) found.push(i)
  return found.length ? found : null
}
