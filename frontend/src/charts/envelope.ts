/** Minimum and maximum per pixel column: however many samples there are, no peak is hidden. */

export interface Envelope {
  t: Float64Array
  minimum: Float64Array
  maximum: Float64Array
  mean: Float64Array
  /** True when a column holds more than one sample. */
  decimated: boolean
}

/**
 * Cut samples into columns of equal time.
 * `value` may hold NaN (a gap): a column of nothing but gaps becomes NaN, so that the line breaks there.
 */
export function envelope(
  t: ArrayLike<number>,
  value: ArrayLike<number>,
  begin: number,
  end: number,
  columns: number,
): Envelope {
  if (t.length <= columns || end <= begin) return exact(t, value)
  const buckets = collect(t, value, begin, (end - begin) / columns)
  const n = buckets.length
  const out: Envelope = {
    t: new Float64Array(n),
    minimum: new Float64Array(n),
    maximum: new Float64Array(n),
    mean: new Float64Array(n),
    decimated: true,
  }
  buckets.forEach((bucket, i) => {
    out.t[i] = bucket.tSum / bucket.count
    out.minimum[i] = bucket.good ? bucket.minimum : Number.NaN
    out.maximum[i] = bucket.good ? bucket.maximum : Number.NaN
    out.mean[i] = bucket.good ? bucket.sum / bucket.good : Number.NaN
  })
  return out
}

interface Bucket {
  tSum: number
  count: number
  good: number
  sum: number
  minimum: number
  maximum: number
}

function collect(t: ArrayLike<number>, value: ArrayLike<number>, begin: number, width: number): Bucket[] {
  const buckets: Bucket[] = []
  let column = Number.NaN
  for (let i = 0; i < t.length; i++) {
    const at = Math.floor((t[i]! - begin) / width)
    if (at !== column) {
      column = at
      buckets.push({ tSum: 0, count: 0, good: 0, sum: 0, minimum: Infinity, maximum: -Infinity })
    }
    add(buckets[buckets.length - 1]!, t[i]!, value[i]!)
  }
  return buckets
}

function add(bucket: Bucket, t: number, value: number): void {
  bucket.tSum += t
  bucket.count += 1
  if (Number.isNaN(value)) return
  bucket.good += 1
  bucket.sum += value
  if (value < bucket.minimum) bucket.minimum = value
  if (value > bucket.maximum) bucket.maximum = value
}

function exact(t: ArrayLike<number>, value: ArrayLike<number>): Envelope {
  const values = Float64Array.from(value)
  return { t: Float64Array.from(t), minimum: values, maximum: values, mean: values, decimated: false }
}

/** Least and greatest finite value; null where there is none. */
export function extent(value: ArrayLike<number>): [number, number] | null {
  let [low, high] = [Infinity, -Infinity]
  for (let i = 0; i < value.length; i++) {
    const v = value[i]!
    if (v < low) low = v
    if (v > high) high = v
  }
  return low <= high ? [low, high] : null
}
