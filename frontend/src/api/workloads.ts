/** Make a workload from what its program prints, and try one. */

import { keepPreviousData, useMutation, useQuery } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { api, body, type Schemas } from "./client"

export type ParserOrder = Schemas["ParserOrder"]
export type MadeParser = Schemas["MadeParser"]
export type Tried = Schemas["WorkloadTried"]

/** The parser of an output by what is marked in it; asked for again whenever that changes. null: nothing is marked. */
export function useMadeParser(order: MaybeRefOrGetter<ParserOrder | null>) {
  return useQuery({
    queryKey: computed(() => ["workloads", "parser", toValue(order)]),
    queryFn: ({ signal }) => body(api.POST("/api/workloads/parser", { body: toValue(order)!, signal })),
    enabled: computed(() => toValue(order) !== null),
    placeholderData: keepPreviousData,
    retry: false,
  })
}

/** Run a workload for some seconds on the appliance. */
export function useTryWorkload() {
  return useMutation({
    mutationFn: ({ name, seconds }: { name: string; seconds: number }) =>
      body(api.POST("/api/workloads/{name}/try", { params: { path: { name } }, body: { seconds } })),
  })
}
