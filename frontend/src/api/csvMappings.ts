/** Mappings of CSV files: proposed for a file, tried on its first lines, kept for reuse. */

import { useMutation, useQuery, useQueryClient } from "@tanstack/vue-query"
import { api, body, type Schemas } from "./client"

export type CsvMapping = Schemas["CsvMapping"]
export type CsvProposal = Schemas["ProposalOut"]
export type CsvTrial = Schemas["Trial"]
/** Format of a file as stated by a person. */
export type Written = Pick<Schemas["CsvProposalIn"], "encoding" | "delimiter" | "decimal" | "header_rows">

const MAPPINGS = "csv-mappings"
const HEAD_BYTES = 96 * 2 ** 10

export interface FirstLines {
  head: string
  whole: boolean
  file_name: string
}

/** Read the first bytes of a file, as the service takes them. */
export async function firstLines(file: File): Promise<FirstLines> {
  const bytes = new Uint8Array(await file.slice(0, HEAD_BYTES).arrayBuffer())
  let text = ""
  for (let place = 0; place < bytes.length; place += 8192) {
    text += String.fromCharCode(...bytes.subarray(place, place + 8192))
  }
  return { head: btoa(text), whole: file.size <= HEAD_BYTES, file_name: file.name }
}

export function proposeMapping(lines: FirstLines, written: Written = {}): Promise<CsvProposal> {
  return body(api.POST("/api/imports/csv/proposal", { body: { ...lines, ...written } }))
}

export function tryMapping(lines: FirstLines, mapping: CsvMapping, signal?: AbortSignal): Promise<CsvTrial> {
  return body(api.POST("/api/imports/csv/trial", { body: { ...lines, mapping }, signal }))
}

export function useMappings() {
  return useQuery({ queryKey: [MAPPINGS], queryFn: () => body(api.GET("/api/imports/mappings")) })
}

export function useKeepMapping() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (mapping: CsvMapping) =>
      body(api.PUT("/api/imports/mappings/{name}", { params: { path: { name: mapping.name } }, body: mapping })),
    onSuccess: () => client.invalidateQueries({ queryKey: [MAPPINGS] }),
  })
}

export function useDeleteMapping() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (name: string) => body(api.DELETE("/api/imports/mappings/{name}", { params: { path: { name } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: [MAPPINGS] }),
  })
}
