/** One output of live readings in words. */

import type { LiveOutput } from "@/api/outputs"
import type { Tone } from "@/components/StatusMark.vue"
import { fmt } from "@/format"
import { outputWords as words } from "@/strings/outputs"

export const TONES: Record<LiveOutput["state"], Tone> = { off: "idle", on: "ok", waiting: "warn" }

/** What became of the readings so far; nothing while it is off. */
export function tallyOf(output: LiveOutput): string {
  if (output.state === "off") return ""
  const last = output.last && fmt.dateTime(output.last)
  if (typeof output.sent !== "number") return last ? words.read(last) : words.unread
  const sent = last ? words.sent(fmt.fixed(output.sent, 0), last) : words.noneSent
  return output.not_sent ? `${sent} ${words.notSent(output.not_sent)}` : sent
}
