/** Watts at the wall now, of the whole bench or of one server: the one place that adds live readings up. */

import { fmt } from "@/format"
import { mainPower, total } from "@/lib/channels"
import { wallWords as words } from "@/strings/wall"
import type { Latest } from "."
import type { ChannelHead } from "./store"

/** A wall meter: the channel that counts as its power, or why none does. */
export interface WallMeter {
  source: string
  head: ChannelHead | null
  without: string
}

export interface WallNow {
  /** Sum of what the meters read now; of their last readings where none reads now; null where nothing was read [W]. */
  value: number | null
  /** Every reading in the sum is current. */
  fresh: boolean
  /** Age of the oldest reading in the sum [s]. */
  ageS: number | null
  parts: { source: string; value: number }[]
  /** Meters that are not in the sum, each with its reason; empty where the sum is whole. */
  missing: { source: string; reason: string }[]
  /** Part of it is simulated. */
  simulated: boolean
  /** Which meters are in the sum, and which are not. */
  explanation: string
}

/**
 * The wall meters that count: all that measure a server, or those of `server`. A meter that measures no server counts
 * only where none does, because it may measure what others measure as well: the inlet of their strip of outlets.
 */
export function wallMeters(heads: readonly ChannelHead[], server?: string): WallMeter[] {
  const wall = heads.filter((head) => head.role === "wall")
  const feeding = wall.filter((head) => head.server !== null || head.shared.length > 0)
  const counted =
    server === undefined
      ? feeding.length
        ? feeding
        : wall
      : wall.filter((head) => head.server === server || head.shared.includes(server))
  const sources = [...new Set(counted.map((head) => head.source))]
  return sources.map((source) => {
    const own = counted.filter((head) => head.source === source)
    const others = server === undefined ? [] : own[0]!.shared.filter((id) => id !== server)
    const head = others.length ? null : (mainPower(own) ?? null)
    const without = others.length
      ? words.alsoMeasures(others.join(", "))
      : total(own, "energy")
        ? words.countsOnly
        : words.partsOnly
    return { source, head, without }
  })
}

export function wallNow(meters: readonly WallMeter[], read: (key: string) => Latest): WallNow {
  const readings = meters.map((meter) => ({ ...meter, reading: meter.head && read(meter.head.key) }))
  const known = readings.filter(({ reading }) => reading?.value != null)
  const current = known.filter(({ reading }) => reading!.state === "ok")
  const counted = current.length ? current : known
  const missing = readings
    .filter((meter) => !counted.includes(meter))
    .map(({ source, reading, without }) => ({ source, reason: reading ? notRead(reading) : without }))
  const parts = counted.map(({ source, reading }) => ({ source, value: reading!.value! }))
  const ages = counted.flatMap(({ reading }) => reading!.ageS ?? [])
  return {
    value: parts.length ? parts.reduce((sum, part) => sum + part.value, 0) : null,
    fresh: current.length > 0,
    ageS: ages.length ? Math.max(...ages) : null,
    parts,
    missing,
    simulated: counted.some(({ head }) => head!.simulated),
    explanation: [
      parts.map((part) => `${part.source} ${fmt.withUnit(fmt.live(part.value, "W"), "W")}`).join(" + "),
      ...missing.map(({ source, reason }) => words.notAdded(source, reason)),
    ]
      .filter(Boolean)
      .join("; "),
  }
}

/** Why a meter that has a total is not in the sum. */
function notRead({ state, ageS, value }: Latest): string {
  if (ageS === null) return words.waiting
  if (state !== "ok") return words.lastRead(fmt.age(ageS))
  return value === null ? words.noGoodReading : ""
}
