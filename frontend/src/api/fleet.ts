/** Queries of the pages of a fleet; what they share with an appliance's is in `queries`, `run` and `memory`. */

import { keepPreviousData, useQuery } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { inTurn } from "@/lib/inTurn"
import { api, body, type QueryOf } from "./client"
import type { WindowRule } from "./run"

/** Which store there is; without one there are no pages of a fleet. */
export function useFleet() {
  return useQuery({
    queryKey: ["fleet"],
    queryFn: () => body(api.GET("/api/fleet")),
    staleTime: 60_000,
    refetchInterval: 60_000,
    retry: false,
  })
}

/** A run as its lab issued it, or evaluated now from its raw samples. */
export function useFleetRun(
  id: MaybeRefOrGetter<string>,
  rule: MaybeRefOrGetter<WindowRule>,
  recomputed: MaybeRefOrGetter<boolean>,
) {
  return useQuery({
    queryKey: computed(() => ["runs", toValue(id), toValue(rule), toValue(recomputed)]),
    queryFn: ({ signal }) => {
      const query = { rule: toValue(rule), recomputed: toValue(recomputed) }
      return body(api.GET("/api/fleet/runs/{run_id}", { params: { path: { run_id: toValue(id) }, query }, signal }))
    },
    placeholderData: (previous) => (previous?.result.run_id === toValue(id) ? previous : undefined),
  })
}

export type FacetsRequest = QueryOf<"/api/fleet/facets">

/** Values of each facet with counts; null: not shown. */
export function useFacets(request: MaybeRefOrGetter<FacetsRequest | null>) {
  return useQuery({
    queryKey: computed(() => ["compare", "facets", toValue(request)]),
    queryFn: ({ signal }) => body(api.GET("/api/fleet/facets", { params: { query: toValue(request)! }, signal })),
    enabled: computed(() => toValue(request) !== null),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
}

export type RingsRequest = QueryOf<"/api/fleet/rings">

/** What at least two labs measured alike; null: not shown. */
export function useRings(request: MaybeRefOrGetter<RingsRequest | null>) {
  return useQuery({
    queryKey: computed(() => ["compare", "rings", toValue(request)]),
    queryFn: ({ signal }) => body(api.GET("/api/fleet/rings", { params: { query: toValue(request)! }, signal })),
    enabled: computed(() => toValue(request) !== null),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
  })
}

export type RingRequest = QueryOf<"/api/fleet/ring">

const oneByOne = inTurn()

/** One comparison of a list; the comparisons of a list are asked for one after the other. */
export function useRingOfList(request: MaybeRefOrGetter<RingRequest>) {
  return useQuery({
    queryKey: computed(() => ["compare", "ring", toValue(request)]),
    queryFn: ({ signal }) =>
      oneByOne(() => body(api.GET("/api/fleet/ring", { params: { query: toValue(request) }, signal }))),
    staleTime: 60_000,
  })
}

/** Labs that measured the same quantity, with their consensus value; null: nothing is chosen. */
export function useRing(request: MaybeRefOrGetter<RingRequest | null>) {
  return useQuery({
    queryKey: computed(() => ["compare", "ring", toValue(request)]),
    queryFn: ({ signal }) => body(api.GET("/api/fleet/ring", { params: { query: toValue(request)! }, signal })),
    enabled: computed(() => toValue(request) !== null),
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  })
}
