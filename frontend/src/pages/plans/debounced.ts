/** A value that follows another once that has rested. */

import { onScopeDispose, shallowRef, watch, type Ref, type ShallowRef } from "vue"

export function debounced<T>(source: Ref<T>, restMs: number): ShallowRef<T> {
  const settled = shallowRef(source.value)
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(source, (now) => {
    clearTimeout(timer)
    timer = setTimeout(() => (settled.value = now), restMs)
  })
  onScopeDispose(() => clearTimeout(timer))
  return settled
}
