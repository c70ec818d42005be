/** Queries about bench health and the queue of plans. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { api, body, type Schemas } from "./client"

export type Queue = Schemas["QueueOut"]
export type TakenPlan = Queue["taken"][number]
export type ReferenceHealth = Schemas["ReferenceHealth"]
export type HealthChart = ReferenceHealth["charts"][number]

const QUEUE = ["queue"] as const
const HEALTH = ["bench-health"] as const
/** Calendars add plans without a word to the page. */
const QUEUE_EVERY_MS = 10_000
const HEALTH_EVERY_MS = 60_000

export function useQueue() {
  return useQuery({
    queryKey: QUEUE,
    queryFn: ({ signal }) => body(api.GET("/api/campaign/queue", { signal })),
    refetchInterval: QUEUE_EVERY_MS,
    staleTime: 0,
  })
}

/** Control charts, and the campaigns since an instant [Unix s]. */
export function useBenchHealth(since: MaybeRefOrGetter<number>) {
  return useQuery({
    queryKey: computed(() => [...HEALTH, toValue(since)]),
    queryFn: ({ signal }) =>
      body(api.GET("/api/campaign/health", { params: { query: { since_s: toValue(since) } }, signal })),
    refetchInterval: HEALTH_EVERY_MS,
    staleTime: 5_000,
  })
}

export type QueueChange = { add: string } | { move: string; to: number } | { remove: string }

/** Change the queue; the answer is the queue as it is then. */
export function useChangeQueue() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (change: QueueChange): Promise<Queue> => {
      if ("add" in change) return body(api.POST("/api/campaign/queue", { body: { plan: change.add } }))
      const params = { path: { entry: "move" in change ? change.move : change.remove } }
      return "move" in change
        ? body(api.PUT("/api/campaign/queue/{entry}", { params, body: { position: change.to } }))
        : body(api.DELETE("/api/campaign/queue/{entry}", { params }))
    },
    onSuccess: (queue) => client.setQueryData(QUEUE, queue),
    onError: () => client.invalidateQueries({ queryKey: QUEUE }),
  })
}
