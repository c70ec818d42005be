/** The runs of an export: what is selected, else what the filter shows. */

import type { ExportQuery } from "@/api/export"
import type { RunFilter } from "./filter"

/** More ids do not fit into the address of a request. */
export const MOST_SELECTED = 500

/** The request for the selected or the shown runs; null: too many are selected one by one. */
export function exportQuery(filter: RunFilter, shown: number, selected: readonly string[]): ExportQuery | null {
  const { configuration: key, campaign, ...same } = filter
  const others = { ...same, campaign_id: campaign }
  const [server, ...rest] = key.split("/")
  const named = key ? { ...others, server: server!, configuration: rest.join("/") } : others
  const filtered = Object.fromEntries(Object.entries(named).filter(([, value]) => value))
  if (!selected.length || selected.length === shown) return filtered
  return selected.length > MOST_SELECTED ? null : { run_ids: selected.join(",") }
}
