/** A stored alarm in words: how far, how long, and what is known of its end. */

import type { StoredAlarm } from "@/api/alarms"
import { fmt } from "@/format"
import { alarmWords as words } from "@/strings/alarms"

type Tone = "bad" | "ok" | "warn"

const withUnit = (one: StoredAlarm, number: string): string => fmt.withUnit(number, one.unit)

/** "Above 300 W". */
export const limitOf = (one: StoredAlarm): string => words[one.side](withUnit(one, fmt.asPrinted(one.limit)))
export const worstOf = (one: StoredAlarm): string => withUnit(one, fmt.live(one.worst, one.unit))
/** How long it lasted at least, as far as readings tell [s]. */
export const seconds = (one: StoredAlarm): number => Math.max(0, (one.end_s ?? one.seen_s) - one.begin_s)

export function lastedOf(one: StoredAlarm): string {
  const time = fmt.duration(seconds(one))
  return one.end_s === null ? words.atLeast(time) : time
}

export function endOf(one: StoredAlarm): { tone: Tone; word: string } {
  if (one.ended === null) return { tone: "bad", word: words.goesOn }
  return one.ended === "back" ? { tone: "ok", word: words.over } : { tone: "warn", word: words.unknown[one.ended] }
}
