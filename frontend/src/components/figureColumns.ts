/** The columns of a table of runs that hold their figures. */

import type { Schemas } from "@/api/client"
import { fmt } from "@/format"
import { t } from "@/strings"
import { compareWords } from "@/strings/compare"
import type { Column } from "./tableModel"

type Quantity = Schemas["Quantity"] | null | undefined

/** A unit belongs in the head while all figures share it, otherwise in the cell. */
function unitColumn<Row>(rows: readonly Row[], of: (row: Row) => Quantity): Pick<Column<Row>, "unit" | "cellUnit"> {
  const units = new Set(rows.flatMap((row) => of(row)?.unit ?? []))
  return units.size > 1 ? { cellUnit: (row) => of(row)?.unit } : { unit: [...units][0] }
}

/** `shown`: the figure in the unit that people read. */
export const efficiencyColumn = <Row extends { efficiency?: Quantity }>(
  rows: readonly Row[],
  shown: (row: Row) => Quantity = (row) => row.efficiency,
): Column<Row> => ({
  id: "efficiency",
  head: compareWords.short.efficiency,
  ...unitColumn(rows, shown),
  value: (row) => row.efficiency?.value,
  measured: (row) => fmt.quantity(shown(row)),
  card: "figure",
})

export const powerColumn = <Row extends { power?: Quantity }>(): Column<Row> => ({
  id: "power",
  head: t.quantity.power,
  unit: "W",
  value: (row) => row.power?.value,
  measured: (row) => fmt.quantity(row.power),
  card: "figure",
})

export const throughputColumn = <Row extends { throughput?: Quantity }>(rows: readonly Row[]): Column<Row> => ({
  id: "throughput",
  head: t.quantity.throughput,
  ...unitColumn(rows, (row) => row.throughput),
  value: (row) => row.throughput?.value,
  measured: (row) => fmt.partly(row.throughput),
  wideOnly: true,
})
