/** Outputs of live readings for other programs, and a test of each. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/vue-query"
import { api, body, type Schemas } from "./client"

export type LiveOutput = Schemas["OutputOut"]

const OUTPUTS = ["outputs"] as const
const LOOK_EVERY_MS = 5_000

export function useOutputs() {
  return useQuery({
    queryKey: OUTPUTS,
    queryFn: ({ signal }) => body(api.GET("/api/outputs", { signal })),
    refetchInterval: LOOK_EVERY_MS,
  })
}

export function useTestOutput() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (name: LiveOutput["name"]) =>
      body(api.POST("/api/outputs/{name}/test", { params: { path: { name } } })),
    onSettled: () => client.invalidateQueries({ queryKey: OUTPUTS }),
  })
}
