/** An instant marked by hand, the start of the figures shown; kept in the address. */

import { computed } from "vue"
import { useRoute, useRouter } from "vue-router"
import { live } from "."

export function useMark() {
  const [route, router] = [useRoute(), useRouter()]
  /** The mark [Unix s]; null where there is none. */
  const mark = computed(() => Number(route.query.mark) || null)
  const query = computed(() => (mark.value === null ? {} : { mark: String(mark.value) }))
  const toggle = () => {
    const next = mark.value === null ? live.now().toFixed(1) : undefined
    void router.replace({ query: { ...route.query, mark: next } })
  }
  return { mark, query, toggle }
}
