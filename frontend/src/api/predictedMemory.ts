/** What memory populations would draw that were not measured. */

import { keepPreviousData, useQuery } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { api, body, type QueryOf, type Schemas } from "./client"

export type PredictedMemory = Schemas["PredictedMemoryOut"]
export type PredictedWay = PredictedMemory["ways"][number]
export type PredictedDifference = PredictedMemory["differences"][number]
export type PredictedServer = PredictedMemory["check"]["servers"][number]
export type PredictedRequest = NonNullable<QueryOf<"/api/memory/predicted">>

/** Answer a question, or list what can be asked; null: nothing is asked yet. */
export function usePredictedMemory(request: MaybeRefOrGetter<PredictedRequest | null>) {
  return useQuery({
    queryKey: computed(() => ["memory", "predicted", toValue(request)]),
    queryFn: ({ signal }) => body(api.GET("/api/memory/predicted", { params: { query: toValue(request)! }, signal })),
    enabled: computed(() => toValue(request) !== null),
    placeholderData: keepPreviousData,
  })
}
