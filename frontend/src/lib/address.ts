/** State kept in the address bar, so that a link reproduces the view. */

import { computed, type WritableComputedRef } from "vue"
import { useRoute, useRouter, type LocationQuery, type Router } from "vue-router"

/** Value of a query parameter: single, repeated or absent. */
type Value = string | string[] | undefined

/** Batch parameter changes into one URL update; undefined removes one. */
let pending: Record<string, Value> | null = null

/** Paths that navigations are on their way to: writing into the address meanwhile would call them back. */
const leavingTo = new WeakMap<Router, { path: string | null }>()

function write(router: Router, name: string, value: Value): void {
  if (pending) {
    pending[name] = value
    return
  }
  pending = { [name]: value }
  const leaving = watched(router)
  const path = router.currentRoute.value.path
  setTimeout(() => {
    const changes = pending!
    pending = null
    const { path: now, query } = router.currentRoute.value
    if (now === path && (leaving.path ?? path) === path) void router.replace({ query: merged(query, changes) })
  })
}

function watched(router: Router): { path: string | null } {
  const existing = leavingTo.get(router)
  if (existing) return existing
  const leaving: { path: string | null } = { path: null }
  router.beforeEach((to) => void (leaving.path = to.path))
  router.afterEach(() => void (leaving.path = null))
  leavingTo.set(router, leaving)
  return leaving
}

function merged(query: LocationQuery, changes: Record<string, Value>): LocationQuery {
  const next = { ...query }
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete next[name]
    else next[name] = value
  }
  return next
}

/** A query parameter as a string; its default leaves the address. */
export function useParameter(name: string, fallback = ""): WritableComputedRef<string> {
  const route = useRoute()
  const router = useRouter()
  watched(router)
  return computed({
    get: () => {
      const value = route.query[name]
      return (Array.isArray(value) ? value[0] : value) ?? fallback
    },
    set: (value) => write(router, name, value === fallback || value === "" ? undefined : value),
  })
}

/** A query parameter that may be repeated, each value once and in the order of choosing. */
export function useListParameter(name: string): WritableComputedRef<readonly string[]> {
  const route = useRoute()
  const router = useRouter()
  watched(router)
  return computed({
    get: () => [...new Set([route.query[name] ?? []].flat().filter((value) => value !== null))],
    set: (values) => write(router, name, values.length ? [...values] : undefined),
  })
}
