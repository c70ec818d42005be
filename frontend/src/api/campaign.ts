/** Queries and commands of the dialogs of the campaign page alone. */

import { keepPreviousData, useInfiniteQuery, useMutation, useQuery } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { api, body, type Schemas } from "./client"

export type StoredCampaign = Schemas["StoredCampaignOut"]
export const HISTORY = ["campaigns"] as const

/** Campaigns of the history per request. */
const PAGE = 20

/** The stored campaigns, newest first, page by page. */
export function useCampaignHistory() {
  return useInfiniteQuery({
    queryKey: HISTORY,
    queryFn: ({ pageParam, signal }) =>
      body(api.GET("/api/campaign/history", { params: { query: { offset: pageParam, limit: PAGE } }, signal })),
    initialPageParam: 0,
    getNextPageParam: (last) => last.next_offset,
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  })
}

/** Repeat the runs that other programs disturbed. */
export function useRepeatDisturbed() {
  return useMutation({
    mutationFn: (campaign: string) => body(api.POST("/api/campaign/repeat", { body: { campaign_id: campaign } })),
  })
}

/** Continue a campaign at its first unfinished run. */
export function useResumeCampaign() {
  return useMutation({
    mutationFn: (campaign: string) => body(api.POST("/api/campaign/resume", { body: { campaign_id: campaign } })),
  })
}

/** What a plan would do if it began now; requested whenever it is shown, because its end moves with the clock. */
export function usePlan(name: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: computed(() => ["plans", toValue(name)]),
    queryFn: ({ signal }) =>
      body(api.GET("/api/campaign/plans/{name}", { params: { path: { name: toValue(name) } }, signal })),
    staleTime: 0,
  })
}

/** Interval between queries of a run's reported work; programs report once a second at most. */
const THROUGHPUT_EVERY_MS = 2_000

/** The throughput so far of the runs under way. */
export function useThroughput(active: MaybeRefOrGetter<boolean>) {
  return useQuery({
    queryKey: ["campaign", "throughput"],
    queryFn: ({ signal }) => body(api.GET("/api/campaign/throughput", { signal })),
    enabled: computed(() => toValue(active)),
    refetchInterval: THROUGHPUT_EVERY_MS,
    structuralSharing: false,
    staleTime: 0,
  })
}

/** The ± and the differences to expect from a plan of the bench. */
export function usePlanForecast(name: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: computed(() => ["plans", toValue(name), "forecast"]),
    queryFn: ({ signal }) =>
      body(api.GET("/api/campaign/plans/{name}/forecast", { params: { path: { name: toValue(name) } }, signal })),
    staleTime: 0,
  })
}
