/** Draw the first of many rows at once and the others when the browser is idle, so that a long figure opens soon. */

import { onScopeDispose, ref, watch, type Ref } from "vue"

/** Rows more each time: about a frame's work. */
const STEP = 60
/** Where the browser is never idle the rest is drawn all the same [ms]. */
const PATIENCE_MS = 500

/** How many of `count` rows to draw now: `first`, and soon all; once all are drawn, later changes are drawn at once. */
export function useGrowing(count: () => number, first: number): Readonly<Ref<number>> {
  const drawn = ref(first)
  let handle: number | null = null
  const idle = (act: () => void): number =>
    "requestIdleCallback" in globalThis ? requestIdleCallback(act, { timeout: PATIENCE_MS }) : window.setTimeout(act, 0)
  function grow(): void {
    handle = null
    drawn.value += STEP
    if (drawn.value < count()) handle = idle(grow)
  }
  watch(
    count,
    (total) => {
      if (total > drawn.value && handle === null) handle = idle(grow)
    },
    { immediate: true },
  )
  onScopeDispose(() => {
    if (handle === null) return
    if ("cancelIdleCallback" in globalThis) cancelIdleCallback(handle)
    else window.clearTimeout(handle)
  })
  return drawn
}
