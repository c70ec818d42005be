/** Queries of the pages of one run, and the addresses of its files. */

import { keepPreviousData, useQuery } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { storedPath } from "@/lib/fleet"
import { api, body, type QueryOf, type Schemas } from "./client"

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

/** Address of the samples of a run as a file; without a window the whole run. */
export function samplesUrl(
  run: string,
  format: "csv" | "parquet",
  window?: { begin: number; end: number } | null,
): string {
  const part = window ? `?begin_s=${window.begin.toFixed(3)}&end_s=${window.end.toFixed(3)}` : ""
  return storedPath(`/api/runs/${encodeURIComponent(run)}/samples.${format}${part}`)
}

/** Address of overlaid runs drawn for print; the window is in seconds after the start of each run's. */
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
