/** The matrix of workloads: its numbers and marks, and which configurations it is asked for. */

import type { Schemas } from "@/api/client"
import type { Group } from "@/charts/compare/points"
import { fmt, type Measured, type PlusMinus } from "@/format"
import { compareWords as words } from "@/strings/compare"

export type MatrixRow = Schemas["MatrixRow"]
export type MatrixCell = Schemas["MatrixCell"]
/** Largest number of configurations whose runs the service reads at once. */
export const MOST_ROWS = 60
const SIMULATED = " (simulated)"

/** Whether a configuration has separate runs that a matrix can represent. */
export const inMatrix = (group: Group): boolean => group.runs.length > 0 && !group.key.endsWith(SIMULATED)

/** Measured configurations, in order, as far as one matrix has room for them. */
export const matrixKeys = (groups: readonly Group[]): string[] =>
  groups
    .filter(inMatrix)
    .map((group) => group.key)
    .slice(0, MOST_ROWS)

/** A ratio to the baseline with its ±; the baseline itself is 1 by definition. */
export const ratioOf = (cell: { ratio?: PlusMinus | null } | null | undefined, baseline: boolean): Measured =>
  cell?.ratio && baseline ? { value: fmt.fixed(1, 0), u: null } : fmt.quantity(cell?.ratio)

/** Significance as a mark beside its word; null: not tested. */
export function cellMark(cell: MatrixCell): { sign: string; word: string } | null {
  if (cell.significant == null || cell.ratio == null) return null
  if (!cell.significant) return { sign: "=", word: words.noDifference }
  return cell.ratio.value > 1 ? { sign: "↑", word: words.higher } : { sign: "↓", word: words.lower }
}

export function cellNote(cell: MatrixCell): string | undefined {
  const mark = cellMark(cell)
  return [mark?.word, cell.remark].filter(Boolean).join(". ") || undefined
}
