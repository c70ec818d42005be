/** A stored alarm in words: how far, how long, and what is known of its end. */

import type { StoredAlarm } from "@/api/alarms"
import { fmt } from "@/format"
import { alarmWords as words } from "@/strings/alarms"

type Tone = "bad" | "ok" | "warn"

const withUnit = (alarm: StoredAlarm, number: string): string => fmt.withUnit(number, alarm.unit)

/** "Above 300 W". */
export const limitOf = (alarm: StoredAlarm): string => words[alarm.side](withUnit(alarm, fmt.asPrinted(alarm.limit)))
export const worstOf = (alarm: StoredAlarm): string => withUnit(alarm, fmt.live(alarm.worst, alarm.unit))
/** How long it lasted at least, as far as readings show [s]. */
export const seconds = (alarm: StoredAlarm): number => Math.max(0, (alarm.end_s ?? alarm.seen_s) - alarm.begin_s)

export function lastedOf(alarm: StoredAlarm): string {
  const time = fmt.duration(seconds(alarm))
  return alarm.end_s === null ? words.atLeast(time) : time
}

export function endOf(alarm: StoredAlarm): { tone: Tone; word: string } {
  if (alarm.ended === null) return { tone: "bad", word: words.goesOn }
  return alarm.ended === "back" ? { tone: "ok", word: words.over } : { tone: "warn", word: words.unknown[alarm.ended] }
}
