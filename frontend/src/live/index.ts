/** Access to the live store from components. */

import { useIntervalFn } from "@vueuse/core"
import { computed, shallowRef, type ComputedRef, type ShallowRef } from "vue"
import { LiveStore } from "./store"
import { LiveStream } from "./stream"
import type { LiveState } from "./track"

export type { Campaign, ChannelHead } from "./store"
export type { LiveState, Track } from "./track"

export const live = new LiveStore(
  () => Date.now() / 1000,
  (callback) => void (document.hidden ? setTimeout(callback, 500) : requestAnimationFrame(callback)),
)
export const stream = new LiveStream(live)

/** A clock that ticks twice a second, for ages and remaining times. */
export function useNow(): ShallowRef<number> {
  const now = shallowRef(live.now())
  useIntervalFn(() => (now.value = live.now()), 500)
  return now
}

export interface Latest {
  value: number | null
  ageS: number | null
  state: LiveState
  problem: string | null
}

/** Read the newest value of a channel with its age and state. */
export function latest(key: string, now: number): Latest {
  const track = live.track(key)
  if (!track) return { value: null, ageS: null, state: "waiting", problem: null }
  return { value: track.last, ageS: track.age(now), state: track.stateAt(now), problem: track.problem }
}

/** Follow the newest value of a channel. */
export function useLatest(key: () => string, now: () => number): ComputedRef<Latest> {
  return computed(() => {
    void live.revision.value
    return latest(key(), Math.max(now(), live.now()))
  })
}
