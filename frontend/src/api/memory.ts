/** Queries of the memory pages. */

import { keepPreviousData, useQuery } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { api, body, type QueryOf } from "./client"

export type MemoryRequest = QueryOf<"/api/memory">

export function useMemory(request: MaybeRefOrGetter<MemoryRequest | null>) {
  return useQuery({
    queryKey: computed(() => ["memory", toValue(request)]),
    queryFn: ({ signal }) => body(api.GET("/api/memory", { params: { query: toValue(request)! }, signal })),
    enabled: computed(() => toValue(request) !== null),
    placeholderData: keepPreviousData,
  })
}

/** What a DIMM costs on every server that ran the same; of a fleet on those of some labs. */
export function useMemorySlopes(request: MaybeRefOrGetter<QueryOf<"/api/fleet/memory/slopes"> | null>) {
  return useQuery({
    queryKey: computed(() => ["memory", "slopes", toValue(request)]),
    queryFn: ({ signal }) => body(api.GET("/api/memory/slopes", { params: { query: toValue(request)! }, signal })),
    enabled: computed(() => toValue(request) !== null),
    placeholderData: keepPreviousData,
  })
}

/** What a DIMM costs on average over the servers that ran the same, for each kind of modules. */
export function useMemoryPooled(request: MaybeRefOrGetter<QueryOf<"/api/fleet/memory/pooled"> | null>) {
  return useQuery({
    queryKey: computed(() => ["memory", "pooled", toValue(request)]),
    queryFn: ({ signal }) => body(api.GET("/api/memory/pooled", { params: { query: toValue(request)! }, signal })),
    enabled: computed(() => toValue(request) !== null),
    placeholderData: keepPreviousData,
  })
}

/** Servers, workloads and levels that ran with known DIMM counts, those with most counts first. */
export function useMemoryChoices() {
  return useQuery({
    queryKey: ["memory", "choices"],
    queryFn: ({ signal }) => body(api.GET("/api/memory/choices", { signal })),
  })
}

/** Break-even: the DIMM count at which one server's advantage ends; null: no comparison is chosen. */
export function useBreakEven(request: MaybeRefOrGetter<(MemoryRequest & { against: string }) | null>) {
  return useQuery({
    queryKey: computed(() => ["memory", "break-even", toValue(request)]),
    queryFn: ({ signal }) => {
      const { server, against, workload, level } = toValue(request)!
      return body(
        api.GET("/api/memory/break-even", { params: { query: { server, against, workload, level } }, signal }),
      )
    },
    enabled: computed(() => toValue(request) !== null),
  })
}
