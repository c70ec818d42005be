/** Queries of the page Parts. */

import { keepPreviousData, useQuery } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { api, body, type QueryOf, type Schemas } from "./client"

export type PartChoice = Schemas["PartChoice"]
export type PartsRequest = QueryOf<"/api/parts">

/** Parts of which a server ran something with several counts. */
export function usePartChoices(enabled: MaybeRefOrGetter<boolean> = true) {
  return useQuery({
    queryKey: ["parts", "choices"],
    queryFn: ({ signal }) => body(api.GET("/api/parts/choices", { signal })),
    enabled: computed(() => toValue(enabled)),
  })
}

export function useParts(request: MaybeRefOrGetter<PartsRequest | null>) {
  return useQuery({
    queryKey: computed(() => ["parts", toValue(request)]),
    queryFn: ({ signal }) => body(api.GET("/api/parts", { params: { query: toValue(request)! }, signal })),
    enabled: computed(() => toValue(request) !== null),
    placeholderData: keepPreviousData,
  })
}

/** What a part of a kind costs on every server that ran the same. */
export function usePartSlopes(request: MaybeRefOrGetter<QueryOf<"/api/parts/slopes"> | null>) {
  return useQuery({
    queryKey: computed(() => ["parts", "slopes", toValue(request)]),
    queryFn: ({ signal }) => body(api.GET("/api/parts/slopes", { params: { query: toValue(request)! }, signal })),
    enabled: computed(() => toValue(request) !== null),
    placeholderData: keepPreviousData,
  })
}

/** What a part costs on average over the servers that ran the same, for each model of a kind. */
export function usePartPooled(request: MaybeRefOrGetter<QueryOf<"/api/parts/pooled"> | null>) {
  return useQuery({
    queryKey: computed(() => ["parts", "pooled", toValue(request)]),
    queryFn: ({ signal }) => body(api.GET("/api/parts/pooled", { params: { query: toValue(request)! }, signal })),
    enabled: computed(() => toValue(request) !== null),
    placeholderData: keepPreviousData,
  })
}

/** Two lines of watts against each other; null: nothing is compared. */
export function usePartBreakEven(request: MaybeRefOrGetter<QueryOf<"/api/parts/break-even"> | null>) {
  return useQuery({
    queryKey: computed(() => ["parts", "break-even", toValue(request)]),
    queryFn: ({ signal }) => body(api.GET("/api/parts/break-even", { params: { query: toValue(request)! }, signal })),
    enabled: computed(() => toValue(request) !== null),
  })
}
