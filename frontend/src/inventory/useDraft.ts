/** What was typed into a form stays through a reload of the page, until it is saved or given up. */

import { shallowRef, watch, type ShallowRef } from "vue"

export function useDraft<T>(key: string, fresh: () => T): { draft: ShallowRef<T>; discard: () => void } {
  const place = `draft:${key}`
  const kept = sessionStorage.getItem(place)
  const draft = shallowRef<T>(kept ? (JSON.parse(kept) as T) : fresh())
  const stop = watch(draft, (now) => sessionStorage.setItem(place, JSON.stringify(now)))
  function discard(): void {
    stop()
    sessionStorage.removeItem(place)
  }
  return { draft, discard }
}
