/** Published results: their audits, and importing them. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { sendFile, type Progress } from "@/lib/sendFile"
import { api, body, type Schemas } from "./client"

export type AuditRow = Schemas["AuditRow"]
export type AuditView = Schemas["PublishedAuditOut"]
export type Audit = Schemas["Audit"]
export type AuditedRun = Schemas["AuditedRun"]
export type Finding = Schemas["Finding"]
export type Preview = Schemas["PreviewOut"]
export type Imported = Schemas["ImportOut"]

const AUDITS = "audits"
export const LARGEST_RESULTS = 2 * 2 ** 30

export function useAudits() {
  return useQuery({ queryKey: [AUDITS], queryFn: () => body(api.GET("/api/audits")) })
}

export function useAudit(id: MaybeRefOrGetter<string>) {
  return useQuery({
    queryKey: computed(() => [AUDITS, toValue(id)]),
    queryFn: ({ signal }) =>
      body(api.GET("/api/audits/{audit_id}", { params: { path: { audit_id: toValue(id) } }, signal })),
    staleTime: Infinity,
  })
}

/** Results that were imported as figures, those that were deleted and can be brought back. */
const IMPORTS = "imports"
export type ImportedResult = Schemas["ImportedResult"]

export function useImports() {
  return useQuery({ queryKey: [IMPORTS], queryFn: () => body(api.GET("/api/imports")) })
}

export function useDeletedImports() {
  return useQuery({ queryKey: [IMPORTS, "deleted"], queryFn: () => body(api.GET("/api/imports/deleted")) })
}

/** Bring back an imported result that was deleted. */
export function useRestoreImport() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) =>
      body(api.POST("/api/imports/{import_id}/restore", { params: { path: { import_id: id } } })),
    onSuccess: () => client.invalidateQueries(),
  })
}

/** Delete the figures and the audit of an imported result. */
export function useDeleteImport() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => body(api.DELETE("/api/imports/{import_id}", { params: { path: { import_id: id } } })),
    onSuccess: (_, id) => client.invalidateQueries({ predicate: ({ queryKey }) => queryKey[1] !== id }),
  })
}

export function useKinds() {
  return useQuery({
    queryKey: ["import-kinds"],
    queryFn: () => body(api.GET("/api/imports/kinds")),
    staleTime: Infinity,
  })
}

/** The table of all audits, or of the runs of one, as a file. */
export function auditTableUrl(format: string, audit?: string): string {
  const query = audit ? `?${new URLSearchParams({ audit_id: audit })}` : ""
  return `/api/audits/table.${format}${query}`
}

/** Instead of a unit of stamps: the unit that the stamps themselves prove. */
export const PROVEN = "proven"

interface Chosen {
  file: File
  kind: string
  /** Facts that the files lack, from a person; empty, or `PROVEN`, where none were given. */
  said: {
    zone: string
    power: string
    precision: string
    begin: string
    round: string
    from: string
    to: string
    mapping: string
  }
  progress: Progress
}
const place = (path: string, { file, kind, said }: Chosen): string => {
  const filled = Object.fromEntries(Object.entries(said).filter(([, value]) => value && value !== PROVEN))
  return `${path}?${new URLSearchParams({ file_name: file.name, kind, ...filled })}`
}

export function previewResults(chosen: Chosen): Promise<Preview> {
  return sendFile(place("/api/imports/preview", chosen), chosen.file, chosen.progress)
}

export function useImportResults() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (chosen: Chosen) => sendFile<Imported>(place("/api/imports", chosen), chosen.file, chosen.progress),
    onSuccess: () => client.invalidateQueries(),
  })
}
