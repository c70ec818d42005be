/** Details of a comparison, requested where a page shows them. */

import { keepPreviousData, useQuery } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { api, body, type QueryOf } from "./client"

export type DetailsRequest = QueryOf<"/api/compare/details">

/** Details of one row of a comparison; null: no row is chosen. */
export function useCompareDetails(request: MaybeRefOrGetter<DetailsRequest | null>) {
  return useQuery({
    queryKey: computed(() => ["compare", "details", toValue(request)]),
    queryFn: ({ signal }) => body(api.GET("/api/compare/details", { params: { query: toValue(request)! }, signal })),
    enabled: computed(() => toValue(request) !== null),
    staleTime: 5_000,
  })
}

export type PairsRequest = QueryOf<"/api/compare/pairs">

/** Every pair of some configurations in words; null: not asked for. */
export function useComparePairs(request: MaybeRefOrGetter<PairsRequest | null>) {
  return useQuery({
    queryKey: computed(() => ["compare", "pairs", toValue(request)]),
    queryFn: ({ signal }) => body(api.GET("/api/compare/pairs", { params: { query: toValue(request)! }, signal })),
    enabled: computed(() => toValue(request) !== null),
    staleTime: 5_000,
  })
}

export type MatrixRequest = QueryOf<"/api/compare/matrix">

/** Configurations by workloads; null: not requested. */
export function useMatrix(request: MaybeRefOrGetter<MatrixRequest | null>) {
  return useQuery({
    queryKey: computed(() => ["compare", "matrix", toValue(request)]),
    queryFn: ({ signal }) => body(api.GET("/api/compare/matrix", { params: { query: toValue(request)! }, signal })),
    enabled: computed(() => toValue(request) !== null),
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  })
}

export type DifferencesRequest = QueryOf<"/api/compare/differences">

/** What two runs disclose differently; null: not requested. */
export function useDifferences(request: MaybeRefOrGetter<DifferencesRequest | null>) {
  return useQuery({
    queryKey: computed(() => ["compare", "differences", toValue(request)]),
    queryFn: ({ signal }) =>
      body(api.GET("/api/compare/differences", { params: { query: toValue(request)! }, signal })),
    enabled: computed(() => toValue(request) !== null),
  })
}
