/** Who is told, in words. */

import type { Notifier } from "@/api/notices"
import type { Tone } from "@/components/StatusMark.vue"
import { fmt } from "@/format"
import { noticeWords as words } from "@/strings/notices"

export const TONES: Record<Notifier["state"], Tone> = { on: "ok", failing: "warn" }
const ALL = Object.keys(words.events).length

/** What an entry tells of. */
export function eventsOf(notifier: Notifier): string {
  const chosen = new Set(notifier.events)
  const named = [...chosen].map((event) => words.events[event]).join(", ")
  return words.tellsOf(chosen.size === ALL ? words.everything : named)
}

/** What became of its messages so far. */
export function countsOf(notifier: Notifier): string {
  const last = notifier.last && fmt.dateTime(notifier.last)
  return [
    last ? words.sent(notifier.sent, last) : words.noneSent,
    notifier.waiting ? words.waiting(notifier.waiting) : "",
    notifier.not_sent ? words.notSent(notifier.not_sent) : "",
  ]
    .filter(Boolean)
    .join(" ")
}

/** What keeps it from sending, what to do, and since when. */
export function problemOf(notifier: Notifier): string {
  const since = notifier.since && words.since(fmt.dateTime(notifier.since))
  return [notifier.problem, notifier.remedy, since].filter(Boolean).join(" ")
}
