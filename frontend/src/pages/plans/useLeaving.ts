/** Ask before unsaved changes are left behind. */

import { useEventListener } from "@vueuse/core"
import { ref, type Ref } from "vue"
import { onBeforeRouteLeave, onBeforeRouteUpdate, useRouter } from "vue-router"

/** Where one wanted to go, while the question stands; null: nowhere. */
export function useLeaving(dirty: Ref<boolean>, discard: () => void) {
  const router = useRouter()
  const wanted = ref<string | null>(null)
  let decided = false

  function ask(to: { fullPath: string; path: string }, from: { path: string }): boolean {
    if (decided || !dirty.value || to.path === from.path) return true
    wanted.value = to.fullPath
    return false
  }

  function leave(drop: boolean): void {
    if (drop) discard()
    decided = true
    void router.push(wanted.value!)
  }

  useEventListener("beforeunload", (event) => dirty.value && event.preventDefault())
  onBeforeRouteLeave(ask)
  onBeforeRouteUpdate(ask)
  return { wanted, leave }
}
