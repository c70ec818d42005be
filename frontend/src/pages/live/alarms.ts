/** Present problems of the bench, in words, the gravest first. */

import type { ChannelHead } from "@/live"
import type { LiveState } from "@/live/track"
import type { Connection } from "@/live/stream"

export type Alarm =
  | { kind: "disconnected"; ageS: number | null }
  | { kind: "disk"; text: string }
  | { kind: "lost"; source: string; problem: string | null; ageS: number | null }
  | { kind: "frozen"; source: string; channels: string[]; problem: string | null }
  | { kind: "stale"; source: string; channels: number; ageS: number | null }

export interface Now {
  state: LiveState
  ageS: number | null
  problem: string | null
}

/** Younger than this, a tile alone says that its value is stale: a hiccup of fast meters would make the page jump. */
const BEARABLE_AGE_S = 2

export function alarms(
  connection: Connection,
  disk: string | null,
  heads: readonly ChannelHead[],
  now: (key: string) => Now,
): Alarm[] {
  const readings = heads.map((head) => ({ source: head.source, label: head.label, ...now(head.key) }))
  const raised: Alarm[] = []
  if (connection === "lost") raised.push({ kind: "disconnected", ageS: least(readings.map((reading) => reading.ageS)) })
  if (disk) raised.push({ kind: "disk", text: disk })
  const sources = [...new Set(heads.map((head) => head.source))]
  const of = (source: string, state: LiveState) =>
    readings.filter((reading) => reading.source === source && reading.state === state)
  for (const source of sources) {
    const lost = of(source, "lost")
    if (lost.length)
      raised.push({ kind: "lost", source, problem: lost[0]!.problem, ageS: least(lost.map((reading) => reading.ageS)) })
  }
  if (connection === "lost") return raised
  for (const source of sources) {
    const frozen = of(source, "frozen")
    if (frozen.length)
      raised.push({
        kind: "frozen",
        source,
        channels: frozen.map((reading) => reading.label),
        problem: frozen[0]!.problem,
      })
  }
  for (const source of sources) {
    const stale = of(source, "stale").filter((reading) => reading.ageS === null || reading.ageS >= BEARABLE_AGE_S)
    if (stale.length)
      raised.push({ kind: "stale", source, channels: stale.length, ageS: least(stale.map((reading) => reading.ageS)) })
  }
  return raised
}

const least = (ages: readonly (number | null)[]): number | null => {
  const knownAges = ages.filter((age) => age !== null)
  return knownAges.length ? Math.min(...knownAges) : null
}
