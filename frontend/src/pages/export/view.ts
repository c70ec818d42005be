/** Display of a table: its layout or columns, and its text for the clipboard. */

import type { ExportQuery } from "@/api/export"
import type { Schemas } from "@/api/client"

type Choice = Schemas["ExportColumn"]

/** The request with layout and columns; what the service takes by itself stays out of it. */
export function withView(query: ExportQuery | null, layout: string, columns: string): ExportQuery | null {
  if (query === null) return null
  if (columns) return { ...query, columns }
  return layout && layout !== "paper" ? { ...query, layout } : query
}

/** Keys of the shown columns in their order, with commas between, after one is ticked or unticked; the last one stays. */
export function toggled(choices: readonly Choice[], key: string, on: boolean): string {
  const keys = choices.filter((choice) => (choice.key === key ? on : choice.shown)).map((choice) => choice.key)
  return keys.join(",") || key
}

/** Formats that are pasted as text: what an author pastes comes first. */
export const COPIED = ["tex", "md", "tsv"] as const

/** Formats with a button of their own, the first in the colour of the page's main action. */
export const IN_SIGHT: readonly string[] = ["tex", "csv", "xlsx"]
