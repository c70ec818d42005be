/** Tables as files. */

import { useQuery } from "@tanstack/vue-query"
import { computed, toValue, type MaybeRefOrGetter } from "vue"
import { api, body } from "./client"
import type { paths } from "./schema"

export type ExportTable = paths["/api/export/{table}"]["get"]["parameters"]["path"]["table"]
export type ExportQuery = Record<string, string>

export function useExportPreview(table: MaybeRefOrGetter<ExportTable>, query: MaybeRefOrGetter<ExportQuery | null>) {
  return useQuery({
    queryKey: computed(() => ["export", toValue(table), toValue(query)]),
    queryFn: ({ signal }) => {
      const params = { path: { table: toValue(table) }, query: toValue(query) ?? {} }
      return body(api.GET("/api/export/{table}", { params, signal }))
    },
    enabled: computed(() => toValue(query) !== null),
  })
}

/** Address of a table as a file. */
export function exportUrl(table: ExportTable, format: string, query: ExportQuery = {}): string {
  const search = new URLSearchParams(query).toString()
  return `/api/export/${table}.${format}${search ? `?${search}` : ""}`
}
