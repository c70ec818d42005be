/** Requests for several runs at once; apart from the other queries, as only one page needs them. */

import { keepPreviousData, useQueries } from "@tanstack/vue-query"
import { computed } from "vue"
import { api, body } from "./client"
import type { TraceRequest } from "./run"

/** Several runs, each by its own request. */
export function useEachRun(ids: () => readonly string[]) {
  return useQueries({
    queries: computed(() =>
      ids().map((id) => ({
        queryKey: ["runs", id, "complete"],
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          body(api.GET("/api/runs/{run_id}", { params: { path: { run_id: id } }, signal })),
      })),
    ),
  })
}

/** The traces of several runs, each with a separate time span. */
export function useEachTraces(ids: () => readonly string[], request: (id: string) => TraceRequest) {
  return useQueries({
    queries: computed(() =>
      ids().map((id) => ({
        queryKey: ["traces", id, request(id)],
        queryFn: ({ signal }: { signal: AbortSignal }) => {
          const params = { path: { run_id: id }, query: request(id) }
          return body(api.GET("/api/runs/{run_id}/traces", { params, signal }))
        },
        placeholderData: keepPreviousData,
        structuralSharing: false,
        gcTime: 60_000,
      })),
    ),
  })
}
