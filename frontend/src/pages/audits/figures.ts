/** Figures of an audit as they are shown: as many digits as were published, and no more than are worth showing. */

import { auditTableUrl } from "@/api/audits"
import { fmt, NONE } from "@/format"
import { exportWords } from "@/strings/export"

/** A figure of an audit without its unit. */
export function figure(value: number | null | undefined): string {
  if (value === null || value === undefined) return NONE
  return Number.isInteger(value)
    ? fmt.asPrinted(value)
    : Math.abs(value) >= 1000
      ? fmt.fixed(value, 2)
      : fmt.atMost(value, 6)
}

/** A difference in percent with its sign. */
export function percent(value: number | null | undefined): string {
  if (value === null || value === undefined) return NONE
  const text = fmt.fixed(value, Math.abs(value) < 1 ? 2 : 1)
  return `${value > 0 && Number(value.toFixed(2)) ? "+" : ""}${text} %`
}

const FILES = ["csv", "md", "tex", "xlsx", "json", "html"]

/** The table of all audits, or of the runs of one, in each format, as entries of a menu. */
export const tableFiles = (audit?: string): { label: string; href: string }[] =>
  FILES.map((format) => ({ label: exportWords.formats[format]!, href: auditTableUrl(format, audit) }))
