/** Figures of an audit as they are shown: as many digits as were published, and no more than are worth showing. */

import { fmt, NONE } from "@/format"

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
