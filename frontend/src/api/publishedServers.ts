/** Imported results of others: power against their DIMM counts, and over their load levels. */

import { keepPreviousData, useQuery } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { api, body, type Schemas } from "./client"

export type PublishedMemory = Schemas["PublishedMemoryOut"]
export type LoadCurve = Schemas["LoadCurveOut"]

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

/** Published results over their load levels, in the order of their keys. */
export function useLoadCurves(keys: MaybeRefOrGetter<readonly string[]>) {
  return useQuery({
    queryKey: computed(() => ["scaling", "published", toValue(keys)]),
    queryFn: ({ signal }) =>
      body(api.GET("/api/scaling/published", { params: { query: { key: [...toValue(keys)] } }, signal })),
    enabled: computed(() => toValue(keys).length > 0),
    placeholderData: keepPreviousData,
  })
}
