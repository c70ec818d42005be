/** What was typed into a form stays through a reload of the page, until it is saved or given up. */

import { shallowRef, watch, type ShallowRef } from "vue"

/** What a form was filled from: the version of the bench, and the entry as it stood there. */
export interface Seen {
  version: string
  known: unknown
}

interface Kept<T> {
  draft: T
  seen: Seen | undefined
}

/** `seen` stays what it was when the form was filled, however often the bench is read meanwhile. */
export function useDraft<T>(
  key: string,
  fresh: () => T,
  seen?: Seen,
): { draft: ShallowRef<T>; seen: Seen; discard: () => void } {
  const place = `draft:${key}`
  const text = sessionStorage.getItem(place)
  const stored: Kept<T> = text ? (JSON.parse(text) as Kept<T>) : { draft: fresh(), seen }
  const draft = shallowRef<T>(stored.draft)
  const stop = watch(draft, (now) => sessionStorage.setItem(place, JSON.stringify({ ...stored, draft: now })))
  function discard(): void {
    stop()
    sessionStorage.removeItem(place)
  }
  return { draft, seen: stored.seen ?? { version: "", known: null }, discard }
}

/** Whether an entry still stands as it did when a form was filled from it; nothing is as good as null. */
export const sameEntry = (now: unknown, seen: Seen): boolean =>
  JSON.stringify(now ?? null) === JSON.stringify(seen.known ?? null)
