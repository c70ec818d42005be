/** Suites of graduated loads, and what one says of a configuration. */

import { keepPreviousData, useMutation, useQuery } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { api, body, type Schemas } from "./client"

export type Suite = Schemas["SuiteOut"]
export type SuiteReport = Schemas["SuiteReportOut"]
export type SuiteLevel = Schemas["SuiteLevelOut"]
export type SuiteWorklet = Schemas["SuiteWorkletOut"]

/** The suites, each with the configurations that ran a part of it. */
export function useSuites() {
  return useQuery({
    queryKey: ["suites"],
    queryFn: ({ signal }) => body(api.GET("/api/suites", { signal })),
  })
}

/** What a suite says of a configuration; asks for nothing where none is chosen. */
export function useSuiteReport(suite: MaybeRefOrGetter<string>, configuration: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: computed(() => ["suites", toValue(suite), toValue(configuration)]),
    queryFn: ({ signal }) => {
      const params = { path: { suite: toValue(suite) }, query: { configuration: toValue(configuration) } }
      return body(api.GET("/api/suites/{suite}", { params, signal }))
    },
    enabled: computed(() => toValue(suite) !== "" && toValue(configuration) !== ""),
    placeholderData: keepPreviousData,
  })
}

/** Address of a report as a file, or of its JSON. */
export function suiteUrl(suite: string, configuration: string, format: "html" | "json"): string {
  const search = new URLSearchParams({ configuration })
  if (format === "json") return `/api/suites/${encodeURIComponent(suite)}?${search}`
  search.set("suite", suite)
  return `/api/export/suite-report.html?${search}`
}

/** Run a suite on a configuration. */
export function useStartSuite() {
  return useMutation({
    mutationFn: (order: { suite: string; configurations: string[] }) =>
      body(api.POST("/api/campaign/suite", { body: { repeats: 1, ...order } })),
  })
}
