/** State that lives in the address bar, so that a link shows what was seen. */

import { computed, type WritableComputedRef } from "vue"
import { useRoute, useRouter } from "vue-router"

/** A query parameter as a string; its default leaves the address. */
export function useParameter(name: string, fallback = ""): WritableComputedRef<string> {
  const route = useRoute()
  const router = useRouter()
  return computed({
    get: () => {
      const value = route.query[name]
      return (Array.isArray(value) ? value[0] : value) ?? fallback
    },
    set: (value) => {
      const query = { ...route.query }
      if (value === fallback || value === "") delete query[name]
      else query[name] = value
      void router.replace({ query })
    },
  })
}
