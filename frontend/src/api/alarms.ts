/** Stored alarms, including those of earlier starts of the service. */

import { keepPreviousData, useInfiniteQuery } from "@tanstack/vue-query"
import { api, body, type Schemas } from "./client"

export type StoredAlarm = Schemas["AlarmOut"]

const PAGE = 100
const LOOK_EVERY_MS = 10_000

/** All alarms page by page, newest first; refreshed while the page is open. */
export function useStoredAlarms() {
  return useInfiniteQuery({
    queryKey: ["alarms"],
    queryFn: ({ pageParam, signal }) => {
      const query = pageParam === null ? { limit: PAGE } : { limit: PAGE, before: pageParam }
      return body(api.GET("/api/alarms", { params: { query }, signal }))
    },
    initialPageParam: null as number | null,
    getNextPageParam: (last) => (last.more ? (last.alarms.at(-1)?.number ?? null) : null),
    placeholderData: keepPreviousData,
    refetchInterval: LOOK_EVERY_MS,
  })
}
