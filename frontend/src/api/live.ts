/** The past of live channels, as the service kept it. */

import { keepPreviousData, queryOptions, useQuery } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { api, body, type QueryOf, type Schemas } from "./client"

export type LiveColumns = Schemas["LiveColumns"]

export type LimitAlarm = Schemas["AlarmOut"]

const LOOK_EVERY_MS = 2_000

/** Present and past readings beyond a limit of the bench; refreshed while the page is open. */
export function useLimitAlarms() {
  return useQuery({
    queryKey: ["live", "alarms"],
    queryFn: ({ signal }) => body(api.GET("/api/live/alarms", { signal })),
    refetchInterval: LOOK_EVERY_MS,
  })
}

export type PastRequest = Pick<QueryOf<"/api/live/history">, "begin_s" | "end_s">

/** A stretch of a source's channels. */
export const pastQuery = (source: string, request: PastRequest | null) =>
  queryOptions({
    queryKey: ["live", source, request] as const,
    queryFn: ({ signal }) => {
      const query = { source, points: 600, ...request! }
      return body(api.GET("/api/live/history", { params: { query }, signal }))
    },
    enabled: request !== null,
    placeholderData: keepPreviousData,
    structuralSharing: false,
    gcTime: 30_000,
  })

/** Ask for a stretch of a source's channels; null asks for nothing. */
export function useLivePast(source: MaybeRefOrGetter<string>, request: MaybeRefOrGetter<PastRequest | null>) {
  return useQuery(computed(() => pastQuery(toValue(source), toValue(request))))
}
