/** Size and visibility of an element, as the browser reports them. */

import { onBeforeUnmount, onMounted, shallowRef, type Ref, type ShallowRef } from "vue"

export function useElementSize(element: Ref<HTMLElement | null>): ShallowRef<{ width: number; height: number }> {
  const size = shallowRef({ width: 0, height: 0 })
  const observer = new ResizeObserver(([entry]) => {
    const box = entry!.contentRect
    size.value = { width: Math.floor(box.width), height: Math.floor(box.height) }
  })
  onMounted(() => element.value && observer.observe(element.value))
  onBeforeUnmount(() => observer.disconnect())
  return size
}

export function useElementVisibility(element: Ref<HTMLElement | null>): ShallowRef<boolean> {
  const visible = shallowRef(true)
  const observer = new IntersectionObserver(([entry]) => (visible.value = entry!.isIntersecting))
  onMounted(() => element.value && observer.observe(element.value))
  onBeforeUnmount(() => observer.disconnect())
  return visible
}
