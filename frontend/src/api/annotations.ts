/** Tags and notes of runs, and the trash. */

import { useMutation, useQuery, useQueryClient, type QueryClient } from "@tanstack/vue-query"
import { onFleet } from "@/lib/fleet"
import { api, body, type Schemas } from "./client"
import { keys } from "./queries"

export type Annotation = Schemas["AnnotationOut"]

const ANNOTATIONS = ["annotations"]
const TRASH = ["trash"]

/** Runs in the trash are in no list, comparison or table. */
async function runsChanged(client: QueryClient): Promise<void> {
  for (const queryKey of [TRASH, keys.runs, ["compare"], ["memory"], ["scaling"], ["export"]])
    await client.invalidateQueries({ queryKey })
}

async function annotationsChanged(client: QueryClient): Promise<void> {
  for (const queryKey of [ANNOTATIONS, keys.runs, ["export"]]) await client.invalidateQueries({ queryKey })
}

export function useAnnotations() {
  return useQuery({ queryKey: ANNOTATIONS, queryFn: () => body(api.GET("/api/annotations")), staleTime: 5_000 })
}

export function useTagRuns() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (order: { run_ids: string[]; add?: string[]; remove?: string[] }) =>
      body(api.POST("/api/annotations/tags", { body: { add: [], remove: [], ...order } })),
    onSuccess: () => annotationsChanged(client),
  })
}

export function useWriteNote() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ run, note }: { run: string; note: string }) =>
      body(api.PUT("/api/annotations/{run_id}/note", { params: { path: { run_id: run } }, body: { note } })),
    onSuccess: () => annotationsChanged(client),
  })
}

export type InclusionOrder = Schemas["InclusionOrder"]
type Inclusion = Schemas["Inclusion"]

/** All choices to rank a run, in the order in which they were signed. */
export const choicesOf = (inclusion: Inclusion | null | undefined): Schemas["Choice"][] =>
  inclusion ? [...inclusion.beside, inclusion] : []

/** Rank a run although rules failed, or withdraw that; comparisons and lines change with it. */
export function useInclude() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ run, order }: { run: string; order: InclusionOrder }) =>
      body(api.PUT("/api/annotations/{run_id}/inclusion", { params: { path: { run_id: run } }, body: order })),
    onSuccess: () => rankingChanged(client),
  })
}

/** Override the failed checks of all runs of a configuration; returns how many there were. */
export function useIncludeAll() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: async ({ runs, signed }: { runs: readonly string[]; signed: { by: string; reason: string } }) => {
      const all = await Promise.all(
        runs.map(async (run) => {
          const params = { path: { run_id: run }, query: { rule: "complete" as const } }
          const { includable } = await body(api.GET("/api/runs/{run_id}", { params }))
          return { run, rules: includable ?? [] }
        }),
      )
      const barred = all.filter(({ rules }) => rules.length)
      for (const { run, rules } of barred) {
        const order = { ...signed, rules }
        await body(api.PUT("/api/annotations/{run_id}/inclusion", { params: { path: { run_id: run } }, body: order }))
      }
      return barred.length
    },
    onSuccess: () => rankingChanged(client),
  })
}

export function useExclude() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (run: string) =>
      body(api.DELETE("/api/annotations/{run_id}/inclusion", { params: { path: { run_id: run } } })),
    onSuccess: () => rankingChanged(client),
  })
}

async function rankingChanged(client: QueryClient): Promise<void> {
  await runsChanged(client)
  await client.invalidateQueries({ queryKey: ANNOTATIONS })
}

export function useTrash() {
  // The labs of a fleet have a trash each.
  return useQuery({ queryKey: TRASH, queryFn: () => body(api.GET("/api/trash")), staleTime: 5_000, enabled: !onFleet })
}

export function useMoveToTrash() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (ids: string[]) => body(api.POST("/api/trash", { body: { run_ids: ids } })),
    onSuccess: () => runsChanged(client),
  })
}

export function useRestore() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (ids: string[]) => body(api.POST("/api/trash/restore", { body: { run_ids: ids } })),
    onSuccess: () => runsChanged(client),
  })
}

export function useDeleteForGood() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => body(api.DELETE("/api/trash/{run_id}", { params: { path: { run_id: id } } })),
    onSuccess: () => runsChanged(client),
  })
}
