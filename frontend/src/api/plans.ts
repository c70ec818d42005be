/** Queries of the plan editor: the workloads, and a preview of a plan that is not saved. */

import { keepPreviousData, useQuery } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { api, body } from "./client"
import type { operations } from "./schema"

type PlanEntry = operations["plans_preview"]["requestBody"]["content"]["application/json"]

export function useWorkloads() {
  return useQuery({
    queryKey: ["workloads"],
    queryFn: () => body(api.GET("/api/workloads")),
    staleTime: 30_000,
  })
}

/** Queried again whenever the plan changes; null: there is no plan yet. */
export function usePlanPreview(plan: MaybeRefOrGetter<PlanEntry | null>) {
  return useQuery({
    queryKey: computed(() => ["plans", "preview", toValue(plan)]),
    queryFn: ({ signal }) => body(api.POST("/api/campaign/plans/preview", { body: toValue(plan)!, signal })),
    enabled: computed(() => toValue(plan) !== null),
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  })
}

/** The ± and the differences to expect from a plan that is not saved; queried again when it or the power changes. */
export function useDraftForecast(plan: MaybeRefOrGetter<PlanEntry | null>, power: MaybeRefOrGetter<number | null>) {
  return useQuery({
    queryKey: computed(() => ["plans", "forecast", toValue(plan), toValue(power)]),
    queryFn: ({ signal }) =>
      body(
        api.POST("/api/campaign/plans/forecast", {
          params: { query: { power_w: toValue(power) } },
          body: toValue(plan)!,
          signal,
        }),
      ),
    enabled: computed(() => toValue(plan) !== null),
    placeholderData: keepPreviousData,
    staleTime: 0,
    retry: false,
  })
}
