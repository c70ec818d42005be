/** How a request ended, in a word; 0 means a command on the machine itself. */

import type { Tone } from "@/components/StatusMark.vue"
import { access } from "@/strings/access"

export function outcome(status: number): { tone: Tone; word: string } {
  if (status < 400) return { tone: "ok", word: access.done }
  if (status < 500) return { tone: "warn", word: access.refused(status) }
  return { tone: "bad", word: access.failed(status) }
}
