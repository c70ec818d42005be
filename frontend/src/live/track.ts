/** History of one live channel in plain typed arrays: drawing reads it without copying, Vue never sees it. */

import type { Schemas } from "@/api/client"

export type LiveState = Schemas["LiveChannel"]["state"]

/** Samples kept at most; older ones make room. */
const CAPACITY = 40_000

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
  private t = new Float64Array(1024)
  private v = new Float64Array(1024)
  private length = 0

  constructor(readonly periodS: number) {
    this.state = "waiting"
    this.problem = null
  }

  get size(): number {
    return this.length
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

  /** Take over a snapshot: what is older than it stays, the rest is replaced. */
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

  /** The state as a reader must see it: a value older than twice its period is stale whatever was said before. */
  stateAt(now: number): LiveState {
    if (this.state !== "ok") return this.state
    const age = this.age(now)
    if (age === null) return "waiting"
    return age > 2 * this.periodS + DELIVERY_S ? "stale" : "ok"
  }

  private makeRoom(extra: number): void {
    if (this.length + extra > 2 * CAPACITY) this.forget(Math.max(0, this.length - Math.max(0, CAPACITY - extra)))
    if (this.length + extra <= this.t.length) return
    this.t = grown(this.t, this.length + extra)
    this.v = grown(this.v, this.length + extra)
  }

  private forget(count: number): void {
    this.t.copyWithin(0, count, this.length)
    this.v.copyWithin(0, count, this.length)
    this.length -= count
  }
}

function grown(array: Float64Array<ArrayBuffer>, needed: number): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(Math.max(needed, array.length * 2))
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
