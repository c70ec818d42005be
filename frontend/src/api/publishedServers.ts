/** Imported results of others: power against their DIMM counts. */

import { keepPreviousData, useQuery } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { api, body, type Schemas } from "./client"

export type PublishedMemory = Schemas["PublishedMemoryOut"]

/** What a module costs on published servers; empty parameters leave the choice to the service. */
export function usePublishedMemory(
  kind: MaybeRefOrGetter<string>,
  level: MaybeRefOrGetter<string>,
  workload: MaybeRefOrGetter<string>,
) {
  return useQuery({
    queryKey: computed(() => ["memory", "published", toValue(kind), toValue(level), toValue(workload)]),
    queryFn: ({ signal }) => {
      const asked = { kind: toValue(kind), level: toValue(level), workload: toValue(workload) }
      const query = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== ""))
      return body(api.GET("/api/memory/published", { params: { query }, signal }))
    },
    placeholderData: keepPreviousData,
  })
}
