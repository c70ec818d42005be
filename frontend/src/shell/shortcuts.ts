/** Keys that work everywhere: `g` and a letter goes to a page, `/` or Ctrl+K searches, `?` helps. */

import { useEventListener } from "@vueuse/core"
import { useRouter } from "vue-router"
import { isTyping } from "@/lib/typing"
import type { Page } from "./navigation"

const SEQUENCE_MS = 1200

export function useShortcuts(pages: readonly Page[], acts: { search: () => void; help: () => void }): void {
  const router = useRouter()
  let armedAt = -Infinity

  function pressed(event: KeyboardEvent): void {
    if ((event.ctrlKey || event.metaKey) && event.key === "k") {
      event.preventDefault()
      return acts.search()
    }
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
    const page =
      event.timeStamp - armedAt < SEQUENCE_MS ? pages.find((candidate) => candidate.key === event.key) : undefined
    armedAt = event.key === "g" ? event.timeStamp : -Infinity
    if (page) void router.push(page.to)
    else if (event.key === "/") acts.search()
    else if (event.key === "?") acts.help()
    else return
    event.preventDefault()
  }

  useEventListener("keydown", pressed)
}
