/** Watts at the wall now: the wall meters of all servers added up, each by its newest good value. */

import { fmt } from "@/format"
import { isWallPower } from "@/live"
import type { LiveStore } from "@/live/store"

export interface WallNow {
  value: number
  /** Age of the oldest value in the sum [s]. */
  ageS: number
  stale: boolean
  /** Which meters are in the sum. */
  explanation: string
}

export function wallNow(store: LiveStore, now: number): WallNow | null {
  const parts = store.heads.value.filter(isWallPower).flatMap((head) => {
    const track = store.track(head.key)
    const value = track?.last
    return track && value != null ? [{ head, value, ageS: track.age(now)!, stale: track.stateAt(now) !== "ok" }] : []
  })
  const current = parts.filter((part) => !part.stale)
  const counted = current.length ? current : parts
  if (counted.length === 0) return null
  return {
    value: counted.reduce((sum, part) => sum + part.value, 0),
    ageS: Math.max(...counted.map((part) => part.ageS)),
    stale: current.length === 0,
    explanation: counted.map((part) => `${part.head.source} ${fmt.live(part.value, "W")} W`).join(" + "),
  }
}
