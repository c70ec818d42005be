/** History of one live channel in plain typed arrays: drawing reads it without copying, Vue never sees it. */

import type { Schemas } from "@/api/client"

export type LiveState = Schemas["LiveChannel"]["state"]

/** How long samples are kept [s]: older values than the service's snapshot are requested as columns. */
const KEEP_S = 660
/** Largest number of samples kept, at any rate. */
const CAPACITY = 40_000
/** Spare capacity beyond the samples kept, so that old ones are dropped in batches. */
const SPARE = 1.25
/** For a channel that is too fast: the number of samples that triggers thinning, and the number kept. */
const [TOO_MANY, KEPT] = [0.9 * CAPACITY, 0.8 * CAPACITY]

/** Without news for this many periods a channel is stale: polls at random places of their periods lie up to two apart. */
const STALE_PERIODS = 3

/** Delay of the stream itself: batches leave the service at most ten times a second. */
const DELIVERY_S = 0.5

export interface TrackWindow {
  t: Float64Array
  /** NaN marks a bad reading or a gap. */
  value: Float64Array
}

export class Track {
  state: LiveState
  problem: string | null
  private t: Float64Array<ArrayBuffer>
  private v: Float64Array<ArrayBuffer>
  private length = 0

  /** Allocates its whole history at once, so that the memory of a page left open does not grow. */
  constructor(readonly periodS: number) {
    this.state = "waiting"
    this.problem = null
    const expected = periodS > 0 ? Math.ceil((SPARE * KEEP_S) / periodS) : 0
    this.t = new Float64Array(Math.min(Math.max(expected, 256), CAPACITY))
    this.v = new Float64Array(this.t.length)
  }

  get size(): number {
    return this.length
  }

  /** Stamp of the oldest sample that is kept [Unix s]; null before the first. */
  get firstT(): number | null {
    return this.length === 0 ? null : this.t[0]!
  }

  /** Stamp of the newest sample [Unix s]; null before the first. */
  get lastT(): number | null {
    return this.length === 0 ? null : this.t[this.length - 1]!
  }

  /** The newest value; null where it is bad or there is none yet. */
  get last(): number | null {
    const value = this.length === 0 ? Number.NaN : this.v[this.length - 1]!
    return Number.isNaN(value) ? null : value
  }

  /** Add samples newer than the last; repeated and older ones are dropped. */
  append(t: readonly number[], value: readonly (number | null)[]): void {
    this.makeRoom(t.length)
    for (let i = 0; i < t.length; i++) {
      const stamp = t[i]!
      if (this.length > 0 && stamp <= this.t[this.length - 1]!) continue
      this.t[this.length] = stamp
      this.v[this.length] = value[i] ?? Number.NaN
      this.length += 1
    }
  }

  /** Merge a snapshot: keep older points, replace the rest. */
  replaceFrom(t: readonly number[], value: readonly (number | null)[]): void {
    if (t.length > 0) this.length = lowerBound(this.t, this.length, t[0]!)
    this.append(t, value)
  }

  /** Samples with begin <= t <= end, and the one before them so that a line reaches the edge. Valid until the next append. */
  window(begin: number, end: number): TrackWindow {
    const from = Math.max(0, lowerBound(this.t, this.length, begin) - 1)
    const to = upperBound(this.t, this.length, end)
    return { t: this.t.subarray(from, to), value: this.v.subarray(from, to) }
  }

  /** Age of the newest sample [s]; null before the first. */
  age(now: number): number | null {
    return this.lastT === null ? null : now - this.lastT
  }

  /** The state as a reader must see it: a value older than three times its period is stale whatever was said before. */
  stateAt(now: number): LiveState {
    if (this.state !== "ok") return this.state
    const age = this.age(now)
    if (age === null) return "waiting"
    return age > STALE_PERIODS * this.periodS + DELIVERY_S ? "stale" : "ok"
  }

  private makeRoom(extra: number): void {
    if (this.length + extra <= this.t.length) return
    this.forget(lowerBound(this.t, this.length, this.t[this.length - 1]! - KEEP_S))
    if (this.length + extra > TOO_MANY) this.forget(this.length - Math.max(0, KEPT - extra))
    // A channel faster than announced needs more capacity; growing by just enough would fill up at once.
    const needed = this.length + extra
    if (needed * 1.05 <= this.t.length) return
    const room = Math.max(needed, Math.min(Math.ceil(needed * SPARE), CAPACITY))
    this.t = grown(this.t, room)
    this.v = grown(this.v, room)
  }

  private forget(count: number): void {
    if (count <= 0) return
    this.t.copyWithin(0, count, this.length)
    this.v.copyWithin(0, count, this.length)
    this.length -= count
  }
}

function grown(array: Float64Array<ArrayBuffer>, room: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(room)
  larger.set(array)
  return larger
}

/** First index whose stamp is not below `t`. */
export function lowerBound(array: ArrayLike<number>, length: number, t: number): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (array[middle]! < t) low = middle + 1
    else high = middle
  }
  return low
}

/** First index whose stamp is above `t`. */
export function upperBound(array: ArrayLike<number>, length: number, t: number): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (array[middle]! <= t) low = middle + 1
    else high = middle
  }
  return low
}
