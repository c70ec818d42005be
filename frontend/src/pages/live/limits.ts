/** Channels beyond a limit of the bench, in words. */

import type { LimitAlarm } from "@/api/live"
import { fmt } from "@/format"
import { channelKey } from "@/live/store"
import { liveWords as words } from "@/strings/live"

/** Open alarms by the key of their channel; the first of a channel represents it. */
export function goingOn(alarms: readonly LimitAlarm[]): Map<string, LimitAlarm> {
  const now = alarms.filter((alarm) => alarm.end_s === null)
  return new Map(now.reverse().map((alarm) => [channelKey(alarm), alarm]))
}

const withUnit = (value: number, unit: string): string => fmt.withUnit(fmt.asPrinted(value), unit)

/** "Above 300 W". */
export const beyond = (alarm: LimitAlarm): string => words.limit[alarm.side](withUnit(alarm.limit, alarm.unit))

/** Who is beyond what, how far at most, since when, and until when it was. */
export function limitWords(alarm: LimitAlarm, title: string): string {
  const worst = fmt.withUnit(fmt.live(alarm.worst, alarm.unit), alarm.unit)
  const [begin, end] = [fmt.clock(alarm.begin_s), alarm.end_s === null ? null : fmt.clock(alarm.end_s)]
  return words.limit.told(title, alarm.channel, beyond(alarm), worst, begin, end)
}
