/** Everything the pages ask the service for, once: keys, freshness and what an answer makes stale. */

import { keepPreviousData, useMutation, useQuery } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { api, body, type QueryOf, type Schemas } from "./client"
import type { paths } from "./schema"

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
  return useQuery({ queryKey: keys.bench, queryFn: () => body(api.GET("/api/bench")), staleTime: 30_000 })
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

/** What to call each configuration that ran, by its key. */
export function useConfigurationNames() {
  return useQuery({ ...runRows, select: (answer) => new Map(Object.entries(answer.names ?? {})) })
}

export type WindowRule = Schemas["Result"]["window_rule"]

export function useRun(id: MaybeRefOrGetter<string>, rule: MaybeRefOrGetter<WindowRule>) {
  return useQuery({
    queryKey: computed(() => ["runs", toValue(id), toValue(rule)]),
    queryFn: ({ signal }) => {
      const params = { path: { run_id: toValue(id) }, query: { rule: toValue(rule) } }
      return body(api.GET("/api/runs/{run_id}", { params, signal }))
    },
    placeholderData: (previous) => (previous?.result.run_id === toValue(id) ? previous : undefined),
  })
}

export type TraceRequest = QueryOf<"/api/runs/{run_id}/traces">

export function useTraces(id: MaybeRefOrGetter<string>, request: MaybeRefOrGetter<TraceRequest | null>) {
  return useQuery({
    queryKey: computed(() => ["traces", toValue(id), toValue(request)]),
    queryFn: ({ signal }) => {
      const params = { path: { run_id: toValue(id) }, query: toValue(request) ?? {} }
      return body(api.GET("/api/runs/{run_id}/traces", { params, signal }))
    },
    enabled: computed(() => toValue(request) !== null),
    placeholderData: keepPreviousData,
    structuralSharing: false,
    gcTime: 60_000,
  })
}

export type SpanRequest = QueryOf<"/api/runs/{run_id}/span">

/** Figures of a part of a run; null: no part is chosen. */
export function useSpan(id: MaybeRefOrGetter<string>, request: MaybeRefOrGetter<SpanRequest | null>) {
  return useQuery({
    queryKey: computed(() => ["span", toValue(id), toValue(request)]),
    queryFn: ({ signal }) => {
      const params = { path: { run_id: toValue(id) }, query: toValue(request)! }
      return body(api.GET("/api/runs/{run_id}/span", { params, signal }))
    },
    enabled: computed(() => toValue(request) !== null),
    placeholderData: keepPreviousData,
    gcTime: 60_000,
  })
}

/** What can be compared; a page on its way may ask before it is there. */
export const choicesQuery = {
  queryKey: keys.choices,
  queryFn: () => body(api.GET("/api/compare/choices")),
  staleTime: 5_000,
}

export function useChoices() {
  return useQuery(choicesQuery)
}

export type CompareRequest = QueryOf<"/api/compare">

export const compareQuery = (query: CompareRequest | null) => ({
  queryKey: ["compare", query] as const,
  queryFn: ({ signal }: { signal: AbortSignal }) =>
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

export type DetailsRequest = QueryOf<"/api/compare/details">

/** What stands behind one row of a comparison; null: no row is chosen. */
export function useCompareDetails(request: MaybeRefOrGetter<DetailsRequest | null>) {
  return useQuery({
    queryKey: computed(() => ["compare", "details", toValue(request)]),
    queryFn: ({ signal }) => body(api.GET("/api/compare/details", { params: { query: toValue(request)! }, signal })),
    enabled: computed(() => toValue(request) !== null),
    staleTime: 5_000,
  })
}

export type MatrixRequest = QueryOf<"/api/compare/matrix">

/** Configurations by workloads; null: nobody asked to see them. */
export function useMatrix(request: MaybeRefOrGetter<MatrixRequest | null>) {
  return useQuery({
    queryKey: computed(() => ["compare", "matrix", toValue(request)]),
    queryFn: ({ signal }) => body(api.GET("/api/compare/matrix", { params: { query: toValue(request)! }, signal })),
    enabled: computed(() => toValue(request) !== null),
    placeholderData: keepPreviousData,
    staleTime: 5_000,
  })
}

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

export type MemoryRequest = QueryOf<"/api/memory">

export function useMemory(request: MaybeRefOrGetter<MemoryRequest | null>) {
  return useQuery({
    queryKey: computed(() => ["memory", toValue(request)]),
    queryFn: ({ signal }) => body(api.GET("/api/memory", { params: { query: toValue(request)! }, signal })),
    enabled: computed(() => toValue(request) !== null),
    placeholderData: keepPreviousData,
  })
}

/** What a DIMM costs on every server that ran the same. */
export function useMemorySlopes(request: MaybeRefOrGetter<{ workload: string; level: string } | null>) {
  return useQuery({
    queryKey: computed(() => ["memory", "slopes", toValue(request)]),
    queryFn: ({ signal }) => body(api.GET("/api/memory/slopes", { params: { query: toValue(request)! }, signal })),
    enabled: computed(() => toValue(request) !== null),
  })
}

/** At how many DIMMs the advantage of one server over another is gone; null: nothing is held against it. */
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

export function usePublished() {
  return useQuery({
    queryKey: keys.published,
    queryFn: () => body(api.GET("/api/published")),
    staleTime: Number.POSITIVE_INFINITY,
  })
}

export type ExportTable = paths["/api/export/{table}"]["get"]["parameters"]["path"]["table"]
export type ExportQuery = Record<string, string>

export function useExportPreview(table: MaybeRefOrGetter<ExportTable>, query: MaybeRefOrGetter<ExportQuery | null>) {
  return useQuery({
    queryKey: computed(() => ["export", toValue(table), toValue(query)]),
    queryFn: ({ signal }) => {
      const params = { path: { table: toValue(table) }, query: toValue(query) ?? {} }
      return body(api.GET("/api/export/{table}", { params, signal }))
    },
    enabled: computed(() => toValue(query) !== null),
  })
}

/** Address of a table as a file. */
export function exportUrl(table: ExportTable, format: string, query: ExportQuery = {}): string {
  const search = new URLSearchParams(query).toString()
  return `/api/export/${table}.${format}${search ? `?${search}` : ""}`
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

/** Address of the samples of a run as a file; without a window the whole run. */
export function samplesUrl(
  run: string,
  format: "csv" | "parquet",
  window?: { begin: number; end: number } | null,
): string {
  const part = window ? `?begin_s=${window.begin.toFixed(3)}&end_s=${window.end.toFixed(3)}` : ""
  return `/api/runs/${encodeURIComponent(run)}/samples.${format}${part}`
}

/** Address of runs over one another drawn for print; the window is in seconds after the begin of each run's. */
export function overlayPdfUrl(runs: readonly string[], window: { begin: number; end: number } | null): string {
  const query = new URLSearchParams(runs.map((run) => ["run_id", run]))
  if (window) query.set("from_s", window.begin.toFixed(3))
  if (window) query.set("to_s", window.end.toFixed(3))
  return `/api/export/overlay.pdf?${query}`
}

/** Address of the traces of a run drawn for print; without a window the whole run. */
export function tracesPdfUrl(run: string, window: { begin: number; end: number } | null): string {
  const part = window ? `?begin_s=${window.begin.toFixed(3)}&end_s=${window.end.toFixed(3)}` : ""
  return `/api/export/traces/${encodeURIComponent(run)}.pdf${part}`
}
