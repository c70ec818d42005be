/** Configurations and published results over their load levels. */

import { keepPreviousData, useQuery } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { api, body, type Schemas } from "./client"

export type LoadLevels = Schemas["LoadLevelsOut"]
export type LoadSpread = Schemas["LoadSpread"]
export type LoadMethod = Schemas["LoadMethod"]
export type PublishedCurve = Schemas["PublishedCurve"]

/** Every configuration that ran a workload at several levels. */
export function useSweeps(workload: MaybeRefOrGetter<string>, fromLevel: MaybeRefOrGetter<number | null>) {
  return useQuery({
    queryKey: computed(() => ["scaling", toValue(workload), toValue(fromLevel)]),
    queryFn: ({ signal }) => {
      const from = toValue(fromLevel)
      const query = { workload: toValue(workload), ...(from === null ? {} : { from_level: from }) }
      return body(api.GET("/api/scaling", { params: { query }, signal }))
    },
    enabled: computed(() => toValue(workload) !== ""),
    placeholderData: keepPreviousData,
  })
}

/** Power and work per joule over load of every configuration that ran a workload. */
export function useLoadCurves(workload: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: computed(() => ["scaling", "load", toValue(workload)]),
    queryFn: ({ signal }) =>
      body(api.GET("/api/scaling/load-levels", { params: { query: { workload: toValue(workload) } }, signal })),
    enabled: computed(() => toValue(workload) !== ""),
    placeholderData: keepPreviousData,
  })
}

/** All published results of a workload in figures, and those of the keys with their levels. */
export function usePublishedCurves(workload: MaybeRefOrGetter<string>, keys: MaybeRefOrGetter<readonly string[]>) {
  return useQuery({
    queryKey: computed(() => ["scaling", "published", toValue(workload), toValue(keys)]),
    queryFn: ({ signal }) => {
      const query = { key: [...toValue(keys)], ...(toValue(workload) ? { workload: toValue(workload) } : {}) }
      return body(api.GET("/api/scaling/published", { params: { query }, signal }))
    },
    placeholderData: keepPreviousData,
  })
}
