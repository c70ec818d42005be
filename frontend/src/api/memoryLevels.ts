/** Requests for several load levels at once; apart from the other queries, as only one page needs them. */

import { useQueries } from "@tanstack/vue-query"
import { computed } from "vue"
import { api, body } from "./client"

/** What a DIMM costs on every server that ran the same, level by level. */
export function useMemoryLevels(requests: () => { workload: string; level: string }[]) {
  return useQueries({
    queries: computed(() =>
      requests().map((query) => ({
        queryKey: ["memory", "slopes", query],
        queryFn: ({ signal }: { signal: AbortSignal }) =>
          body(api.GET("/api/memory/slopes", { params: { query }, signal })),
      })),
    ),
  })
}
