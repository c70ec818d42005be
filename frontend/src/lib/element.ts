/** Room for a figure, on the screen and on paper. */

import { useResizeObserver } from "@vueuse/core"
import { computed, onMounted, shallowRef, type ComputedRef, type Ref } from "vue"
import { printing } from "./theme"

/** Room for a figure on a sheet [px]: A4 upright, less the margins of print.css and the edges of a card. */
const SHEET = 654

/** Follow the size of an element; in print its width is limited to that of the sheet. */
export function useFigureSize(element: Ref<HTMLElement | null>): ComputedRef<{ width: number; height: number }> {
  const seen = shallowRef({ width: 0, height: 0 })
  const see = (width: number, height: number) => (seen.value = { width: Math.floor(width), height: Math.floor(height) })
  // At once, so that no page is painted without its figure, which would push down the content below.
  onMounted(() => {
    if (!element.value) return
    const { paddingLeft, paddingRight, paddingTop, paddingBottom } = getComputedStyle(element.value)
    const { clientWidth, clientHeight } = element.value
    const [across, down] = [
      parseFloat(paddingLeft) + parseFloat(paddingRight),
      parseFloat(paddingTop) + parseFloat(paddingBottom),
    ]
    see(clientWidth - (across || 0), clientHeight - (down || 0))
  })
  useResizeObserver(element, ([entry]) => see(entry!.contentRect.width, entry!.contentRect.height))
  return computed(() => (printing.value ? { ...seen.value, width: Math.min(seen.value.width, SHEET) } : seen.value))
}
