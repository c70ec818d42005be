/** A kept alarm in words: how far, how long, and what is known of its end. */

import type { KeptAlarm } from "@/api/alarms"
import { fmt } from "@/format"
import { alarmWords as words } from "@/strings/alarms"

type Tone = "bad" | "ok" | "warn"

const withUnit = (one: KeptAlarm, number: string): string => fmt.withUnit(number, one.unit)

/** "Above 300 W". */
export const limitOf = (one: KeptAlarm): string => words[one.side](withUnit(one, fmt.asPrinted(one.limit)))
export const worstOf = (one: KeptAlarm): string => withUnit(one, fmt.live(one.worst, one.unit))
/** How long it lasted at least, as far as readings tell [s]. */
export const seconds = (one: KeptAlarm): number => Math.max(0, (one.end_s ?? one.seen_s) - one.begin_s)

export function lastedOf(one: KeptAlarm): string {
  const time = fmt.duration(seconds(one))
  return one.end_s === null ? words.atLeast(time) : time
}

export function endOf(one: KeptAlarm): { tone: Tone; word: string } {
  if (one.ended === null) return { tone: "bad", word: words.goesOn }
  return one.ended === "back" ? { tone: "ok", word: words.over } : { tone: "warn", word: words.unknown[one.ended] }
}
