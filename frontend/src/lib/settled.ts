/** A typed value, once the typing pauses. */

import { onScopeDispose, ref, watch, type Ref } from "vue"

/** Pause after which a typed word counts as complete [ms]. */
const PAUSE_MS = 300

/** Follow a text after a pause. */
export function useSettled(text: () => string): Readonly<Ref<string>> {
  const settled = ref(text())
  let timer: ReturnType<typeof setTimeout> | undefined
  watch(text, (now) => {
    clearTimeout(timer)
    timer = setTimeout(() => (settled.value = now), PAUSE_MS)
  })
  onScopeDispose(() => clearTimeout(timer))
  return settled
}
