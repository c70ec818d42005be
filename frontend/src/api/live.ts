/** The past of live channels, as the service kept it. */

import { keepPreviousData, useQuery } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { api, body, type Schemas } from "./client"

export type LiveColumns = Schemas["LiveColumns"]

export interface PastRequest {
  begin_s: number
  end_s: number
}

/** Ask for a stretch of a source's channels; null asks for nothing. */
export function useLivePast(source: MaybeRefOrGetter<string>, request: MaybeRefOrGetter<PastRequest | null>) {
  return useQuery({
    queryKey: computed(() => ["live", toValue(source), toValue(request)]),
    queryFn: ({ signal }) => {
      const query = { source: toValue(source), points: 600, ...toValue(request)! }
      return body(api.GET("/api/live/history", { params: { query }, signal }))
    },
    enabled: computed(() => toValue(request) !== null),
    placeholderData: keepPreviousData,
    structuralSharing: false,
    gcTime: 30_000,
  })
}
