/** Downloads beside the table itself. */

import type { ExportQuery } from "@/api/export"

const FIGURES = ["compare", "memory", "parts", "scaling", "load-levels", "run", "cross-check"] as const
export type FigureTable = (typeof FIGURES)[number]

export const hasFigure = (table: string): table is FigureTable => (FIGURES as readonly string[]).includes(table)

const search = (query: ExportQuery): string => {
  const text = new URLSearchParams(query).toString()
  return text ? `?${text}` : ""
}

/** Address of the figure with the data of a table. */
export const figureUrl = (table: FigureTable, format: "svg" | "pdf" | "png", query: ExportQuery): string =>
  `/api/export/figure/${table}.${format}${search(query)}`

/** Address of the report of one run, or of all. */
export const reportUrl = (run?: string): string => `/api/export/report.html${search(run ? { run_id: run } : {})}`

/** Formats of which the service writes only some where a package is missing; a request for one reports which. */
const WITH_PACKAGE = ["parquet"]

/** Formats to offer: those that the service names, then those that it would write with a package more. */
export const offered = (formats: readonly string[]): string[] => [...new Set([...formats, ...WITH_PACKAGE])]
