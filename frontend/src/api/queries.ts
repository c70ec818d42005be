/** All queries of the pages, each defined once: keys, freshness and what a response makes stale. */

import { keepPreviousData, useMutation, useQuery } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { onFleet } from "@/lib/fleet"
import { api, body, type QueryOf, type Schemas } from "./client"

export const keys = {
  bench: ["bench"],
  runs: ["runs"],
  choices: ["compare", "choices"],
  published: ["published"],
} as const

export function useHealth() {
  return useQuery({ queryKey: ["health"], queryFn: () => body(api.GET("/api/health")), staleTime: 60_000 })
}

export function useBench() {
  return useQuery({
    queryKey: keys.bench,
    queryFn: () => body(api.GET("/api/bench")),
    staleTime: 30_000,
    // The labs of a fleet have a bench each.
    enabled: !onFleet,
  })
}

/** All runs, newest first, in a line each: a whole result is twenty times as large. */
const runRows = {
  queryKey: keys.runs,
  queryFn: () => body(api.GET("/api/run-rows", { params: { query: { limit: 100_000 } } })),
  staleTime: 5_000,
}

export function useRuns() {
  return useQuery({ ...runRows, select: (answer) => answer.rows })
}

/** Labs are told apart on a fleet alone. */
export type RowsRequest = QueryOf<"/api/run-rows"> & { lab?: string[] }

/** A page of the list of runs. */
export function useRunRows(request: MaybeRefOrGetter<RowsRequest>) {
  return useQuery({
    queryKey: computed(() => [...keys.runs, "rows", toValue(request)]),
    queryFn: ({ signal }) => body(api.GET("/api/run-rows", { params: { query: toValue(request) }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  })
}

/** What runs can be filtered by, each value with how many it would leave; asked for when the rows are there. */
export function useRunFacets(request: MaybeRefOrGetter<RowsRequest>, rowsAreThere: MaybeRefOrGetter<boolean>) {
  return useQuery({
    enabled: computed(() => toValue(rowsAreThere)),
    queryKey: computed(() => [...keys.runs, "facets", toValue(request)]),
    queryFn: ({ signal }) => body(api.GET("/api/run-rows/facets", { params: { query: toValue(request) }, signal })),
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  })
}

/** Every run that a filter leaves, whichever page it is on. */
export const allRunIds = (filter: RowsRequest): Promise<string[]> =>
  body(api.GET("/api/run-rows", { params: { query: { ...filter, limit: 100_000 } } })).then(({ rows }) =>
    rows.map((row) => row.run_id),
  )

/** What can be compared; a page may prefetch it before it is shown. */
export const choicesQuery = {
  queryKey: keys.choices,
  queryFn: () => body(api.GET("/api/compare/choices")),
  staleTime: 5_000,
}

export function useChoices() {
  return useQuery(choicesQuery)
}

/** A fleet compares a page of the configurations that are chosen. */
export type CompareRequest = QueryOf<"/api/compare"> & Partial<QueryOf<"/api/fleet/compare">>
export type Compared = Schemas["CompareOut"] & Partial<Schemas["FleetCompareOut"]>

export const compareQuery = (query: CompareRequest | null) => ({
  queryKey: ["compare", query] as const,
  queryFn: ({ signal }: { signal: AbortSignal }): Promise<Compared> =>
    body(api.GET("/api/compare", { params: { query: query! }, signal })),
  staleTime: 5_000,
})

export function useCompare(request: MaybeRefOrGetter<CompareRequest | null>) {
  return useQuery(
    computed(() => {
      const query = toValue(request)
      return { ...compareQuery(query), enabled: query !== null, placeholderData: keepPreviousData }
    }),
  )
}

export function usePublished() {
  return useQuery({
    queryKey: keys.published,
    queryFn: () => body(api.GET("/api/published")),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export function useStartCampaign() {
  return useMutation({ mutationFn: (plan: string) => body(api.POST("/api/campaign", { body: { plan } })) })
}

export function useStopCampaign() {
  return useMutation({ mutationFn: () => body(api.POST("/api/campaign/stop")) })
}

export function useOperatorReady() {
  return useMutation({ mutationFn: () => body(api.POST("/api/campaign/ready")) })
}
