/** Columns of our tables and how they sort; TanStack Table does the sorting. */

import {
  createSortedRowModel,
  rowSortingFeature,
  sortFn_alphanumeric,
  sortFn_basic,
  tableFeatures,
  useTable,
  type ColumnDef,
  type SortingState,
} from "@tanstack/vue-table"
import type { Ref } from "vue"
import type { Measured } from "@/format"

export interface Column<Row> {
  id: string
  head: string
  unit?: string
  /** What the column sorts by; null sorts last in both directions. */
  value: (row: Row) => number | string | null | undefined
  /** A number with its ±; aligned on the decimal sign. */
  measured?: (row: Row) => Measured
  /** Unit of a cell, where the rows differ in it. */
  cellUnit?: (row: Row) => string | undefined
  /** Text shown when there is neither `measured` nor a slot. */
  text?: (row: Row) => string
  numeric?: boolean
  sortable?: boolean
  /** The head is for screen readers only (a column of buttons). */
  headHidden?: boolean
  /** Leave the column out on narrow screens. */
  wideOnly?: boolean
  /**
   * Its place where a phone shows each row as a card: over the figures, one of them, or a line under them. Of a table
   * with such columns the others are left out there; one with none scrolls sideways.
   */
  card?: "lead" | "title" | "figure" | "line"
}

export const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric, basic: sortFn_basic },
})

type Definition<Row extends object> = ColumnDef<typeof features, Row>

export function definitions<Row extends object>(columns: readonly Column<Row>[]): Definition<Row>[] {
  return columns.map((column) => ({
    id: column.id,
    // TanStack keeps undefined last, whatever the direction.
    accessorFn: (row: Row) => column.value(row) ?? undefined,
    enableSorting: column.sortable !== false,
    sortFn: column.numeric || column.measured ? "basic" : "alphanumeric",
    sortUndefined: "last",
    sortDescFirst: Boolean(column.numeric || column.measured),
  })) as Definition<Row>[]
}

export function useSortedTable<Row extends object>(
  columns: Ref<readonly Column<Row>[]>,
  rows: Ref<readonly Row[]>,
  rowKey: (row: Row) => string,
  initial: SortingState,
) {
  return useTable<typeof features, Row>({
    features,
    columns: definitions(columns.value),
    data: rows as Ref<Row[]>,
    getRowId: rowKey,
    initialState: { sorting: initial },
    enableSortingRemoval: false,
  })
}

/** Column and direction in one word: "power", or "-power" for descending. */
export const sortText = (sorting: SortingState[number] | undefined): string =>
  sorting ? `${sorting.desc ? "-" : ""}${sorting.id}` : ""

/** Read such a word; null for one that names no column that sorts. */
export function sortingOf<Row>(text: string, columns: readonly Column<Row>[]): SortingState | null {
  const id = text.replace(/^-/, "")
  const sortable = columns.some((column) => column.id === id && column.sortable !== false)
  return sortable ? [{ id, desc: text.startsWith("-") }] : null
}

/** Longest part after the decimal sign in a column [characters], so that all cells can leave the same room for it. */
export function fractionWidth(texts: readonly string[], decimalSign: string): number {
  return Math.max(0, ...texts.map((text) => text.length - integerPart(text, decimalSign).length))
}

export function integerPart(text: string, decimalSign: string): string {
  const at = text.lastIndexOf(decimalSign)
  return at < 0 ? text : text.slice(0, at)
}
