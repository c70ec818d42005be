/** The runs of an export: what is selected, else what the filter leaves. */

import type { ExportQuery } from "@/api/export"
import { filterQuery, type RunFilter } from "./filter"

/** More ids do not fit into the address of a request. */
export const MOST_SELECTED = 500

/** The request for the selected or the matching runs; null: too many are selected one by one. */
export function exportQuery(filter: RunFilter, matching: number, selected: readonly string[]): ExportQuery | null {
  if (!selected.length || selected.length === matching) return filterQuery(filter) as ExportQuery
  return selected.length > MOST_SELECTED ? null : { run_ids: selected.join(",") }
}
