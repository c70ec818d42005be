/** Size and visibility of an element, as the browser reports them. */

import { onBeforeUnmount, onMounted, shallowRef, type Ref, type ShallowRef } from "vue"

/** Room for a figure on a sheet [px]: A4 upright, less the margins of print.css and the edges of a card. */
const SHEET = 654

/** Follow the size of an element; while it is printed, what is wider than a sheet is as wide as the sheet. */
export function useElementSize(element: Ref<HTMLElement | null>): ShallowRef<{ width: number; height: number }> {
  let seen = { width: 0, height: 0 }
  const size = shallowRef(seen)
  const observer = new ResizeObserver(([entry]) => {
    const box = entry!.contentRect
    size.value = seen = { width: Math.floor(box.width), height: Math.floor(box.height) }
  })
  const narrow = (): void => void (size.value = { ...seen, width: Math.min(seen.width, SHEET) })
  const restore = (): void => void (size.value = seen)
  onMounted(() => {
    if (element.value) observer.observe(element.value)
    addEventListener("beforeprint", narrow)
    addEventListener("afterprint", restore)
  })
  onBeforeUnmount(() => {
    observer.disconnect()
    removeEventListener("beforeprint", narrow)
    removeEventListener("afterprint", restore)
  })
  return size
}

export function useElementVisibility(element: Ref<HTMLElement | null>): ShallowRef<boolean> {
  const visible = shallowRef(true)
  const observer = new IntersectionObserver(([entry]) => (visible.value = entry!.isIntersecting))
  onMounted(() => element.value && observer.observe(element.value))
  onBeforeUnmount(() => observer.disconnect())
  return visible
}
