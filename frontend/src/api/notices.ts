/** Who is told what happens, and a test of each entry. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/vue-query"
import { api, body, type Schemas } from "./client"

export type Notifier = Schemas["NotifierOut"]

const NOTICES = ["notices"] as const
const LOOK_EVERY_MS = 5_000

export function useNotifiers() {
  return useQuery({
    queryKey: NOTICES,
    queryFn: ({ signal }) => body(api.GET("/api/notices", { signal })),
    refetchInterval: LOOK_EVERY_MS,
  })
}

export function useTestNotifier() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (name: string) => body(api.POST("/api/notices/{name}/test", { params: { path: { name } } })),
    onSettled: () => client.invalidateQueries({ queryKey: NOTICES }),
  })
}
