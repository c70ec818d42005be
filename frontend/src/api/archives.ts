/** Export and import of archives, and the server that many appliances send to. */

import { useMutation, useQuery, useQueryClient, type QueryClient } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { sendFile, type Progress } from "@/lib/sendFile"
import { api, body, type Schemas } from "./client"

export type FoundRun = Schemas["FoundRunOut"]
export type ArchiveContent = Schemas["ArchiveOut"]
export type Restoration = Schemas["Restoration"]

const SHARED = "shared"
export const LARGEST_BYTES = 4 * 2 ** 30

/** The address of an archive of some runs, or of all. */
export function archiveUrl(runs: readonly string[] | "all", notes: boolean): string {
  const query = new URLSearchParams(runs === "all" ? { all: "true" } : runs.map((run) => ["run_id", run]))
  if (notes) query.set("notes", "true")
  return `/api/archive?${query}`
}

/** Runs that arrive change every list, comparison and table, and may bring certificates and notes. */
async function arrived(client: QueryClient): Promise<void> {
  await client.invalidateQueries({ predicate: (query) => query.queryKey[0] !== SHARED })
}

const place = (path: string, query: Record<string, string>): string => `${path}?${new URLSearchParams(query)}`

export function previewArchive(file: File, progress: Progress): Promise<ArchiveContent> {
  return sendFile(place("/api/archive/preview", { file_name: file.name }), file, progress)
}

export function useImportArchive() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: ({ file, own, progress }: { file: File; own: boolean; progress: Progress }) =>
      sendFile<Restoration>(place("/api/archive", { file_name: file.name, own: String(own) }), file, progress),
    onSuccess: () => arrived(client),
  })
}

/** Runs on the shared server; requested when the page opens and on demand, never periodically. */
export function useSharedRuns(days: MaybeRefOrGetter<number>, limit: MaybeRefOrGetter<number>) {
  return useQuery({
    queryKey: computed(() => [SHARED, toValue(days), toValue(limit)]),
    queryFn: ({ signal }) => {
      const query = { days: toValue(days), limit: toValue(limit) }
      return body(api.GET("/api/store/shared", { params: { query }, signal }))
    },
    placeholderData: (previous) => (previous?.days === toValue(days) ? previous : undefined),
    staleTime: Infinity,
    retry: false,
  })
}

export function useCopyShared() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (run_id: string) => body(api.POST("/api/store/shared/copy", { body: { run_id } })),
    onSuccess: async () => {
      await arrived(client)
      await client.invalidateQueries({ queryKey: [SHARED] })
    },
  })
}
