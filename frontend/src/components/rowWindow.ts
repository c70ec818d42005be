/** Which lines of a long table are drawn: those in sight, and some beyond either edge for keys and quick scrolling. */

import { useEventListener, useResizeObserver } from "@vueuse/core"
import { computed, ref, watch, type ComputedRef, type Ref } from "vue"
import { useGrowing } from "@/lib/growing"
import { printing } from "@/lib/theme"

/** A table of fewer lines is drawn whole, so that the browser finds every word in it and prints it. */
export const LONG = 300
const BEYOND = 12
/** Lines are drawn and taken away by this many at a time. */
const STEP = 8

export interface RowWindow {
  first: number
  last: number
  /** Heights of what is omitted above and below [px]. */
  above: number
  below: number
}

/** Cut the lines in sight out of many of one height. */
export function windowOf(count: number, line: number, top: number, height: number, beyond = BEYOND): RowWindow {
  const first = Math.max(0, Math.floor((top / line - beyond) / STEP) * STEP)
  const last = Math.min(count, Math.ceil(((top + height) / line + beyond) / STEP) * STEP)
  const begin = Math.min(first, last)
  return { first: begin, last, above: begin * line, below: (count - last) * line }
}

/** Follow what is in sight of a box that scrolls, by itself or with the page; null where all `count` lines are drawn. */
export function useRowWindow(
  box: Ref<HTMLElement | null>,
  count: Ref<number>,
  scrolls: () => "itself" | "with the page" | null,
  long = LONG,
): ComputedRef<RowWindow | null> {
  const seen = ref({ top: 0, height: 720, line: 33 })
  const look = () => {
    if (!box.value) return
    const onPage = scrolls() === "with the page"
    const top = onPage ? Math.max(0, -box.value.getBoundingClientRect().top) : box.value.scrollTop
    const height = onPage ? window.innerHeight : box.value.clientHeight
    const line = box.value.querySelector<HTMLElement>("tr[data-line]")?.offsetHeight || seen.value.line
    seen.value = { top, height, line }
  }
  // A page opens sooner with the lines in sight alone; those beyond follow when the browser is idle.
  const beyond = useGrowing(() => BEYOND, 0)
  useResizeObserver(box, look)
  useEventListener(box, "scroll", look, { passive: true })
  useEventListener(window, ["scroll", "resize"], () => scrolls() === "with the page" && look(), { passive: true })
  watch(count, look, { flush: "post" })
  return computed(() => {
    const { top, height, line } = seen.value
    if (scrolls() === null || count.value <= long || printing.value) return null
    return windowOf(count.value, line, top, height, Math.min(BEYOND, beyond.value))
  })
}
