/** A mapping being edited: the choice for each column, and the resulting mapping. */

import type { CsvMapping, CsvProposal } from "@/api/csvMappings"

type Quantity = CsvMapping["columns"][number]["quantity"]

/** What a column holds: nothing, a stamp, a quantity, or power of a meter that is not added. */
export type Role = "nothing" | "time" | "secondary" | Quantity

export interface ColumnDraft {
  role: Role
  unit: string
  meter: string
  /** Which lines hold it, where several series share one column. */
  where?: CsvMapping["where"]
}

export interface Draft extends Pick<
  CsvMapping,
  "holds" | "readings" | "server" | "configuration" | "workload" | "name"
> {
  columns: ColumnDraft[]
  /** Empty: not chosen yet. */
  format: string
  zone: string
  workUnit: string
  where?: CsvMapping["where"]
}

const OF_LOG: readonly Role[] = [
  "time",
  "power",
  "secondary",
  "apparent power",
  "voltage",
  "current",
  "power factor",
  "energy",
  "energy since the line before",
  "frequency",
  "temperature",
]
const OF_TABLE: readonly Role[] = [
  "server",
  "configuration",
  "workload",
  "load level",
  "power",
  "idle power",
  "throughput",
  "performance per watt",
]
/** Length from which the service cuts a name, which then denotes no column. */
const LONGEST_NAME = 200
/** Quantities that each meter measures itself. */
const METERED: readonly Role[] = OF_LOG.slice(1)
export const hasMeter = (role: Role, holds: Draft["holds"]): boolean =>
  holds !== "table of results" && METERED.includes(role)

/** What the columns of such a file can hold. */
export function rolesOf(holds: Draft["holds"]): readonly Role[] {
  if (holds === "table of results") return ["nothing", ...OF_TABLE]
  return ["nothing", ...OF_LOG, ...(holds === "power log with throughput" ? (["throughput"] as const) : [])]
}

export const quantityOf = (role: Role): Quantity | null =>
  role === "nothing" || role === "time" ? null : role === "secondary" ? "power" : role

/** The units of what a column holds; none for text and stamps. */
export function unitsOf(role: Role, holds: Draft["holds"], units: CsvProposal["units"]): readonly string[] {
  const known = units[quantityOf(role) ?? ""] ?? []
  return holds === "table of results" ? known.filter((unit) => unit !== "count" && unit !== "total") : known
}

/** Begin with what the service proposes. The form of the stamps is open where more than one fits; the zone always. */
export function draftOf(proposal: CsvProposal, fileName: string): Draft {
  return {
    name: fileName.replace(/\.[^.]*$/, "").slice(0, 60),
    holds: "power log",
    readings: "instantaneous",
    server: "",
    configuration: "",
    workload: "",
    format: proposal.formats.length === 1 ? proposal.formats[0]! : "",
    zone: "",
    workUnit: "work",
    columns: metersApart(
      proposal.columns.map((column, index) => ({
        role: proposal.time_columns.includes(index + 1) ? "time" : ((column.quantity ?? "nothing") as Role),
        unit: column.unit,
        meter: "meter",
      })),
    ),
  }
}

/** Begin with a mapping that is kept, to change it; columns that the file does not have are dropped. */
export function draftFrom(mapping: CsvMapping, proposal: CsvProposal): Draft {
  const names = proposal.columns.map((column) => column.name)
  const isAt = (place: string | number, index: number) => place === index + 1 || place === names[index]
  return {
    name: mapping.name,
    holds: mapping.holds,
    readings: mapping.readings,
    server: mapping.server,
    configuration: mapping.configuration,
    workload: mapping.workload,
    format: mapping.time?.format ?? "",
    zone: mapping.zone ?? "",
    workUnit: mapping.work_unit,
    where: mapping.where,
    columns: names.map((_, index) => {
      const column = mapping.columns.find(({ column: place }) => isAt(place, index))
      if (mapping.time?.columns.some((place) => isAt(place, index))) return { role: "time", unit: "", meter: "meter" }
      if (!column) return { role: "nothing", unit: "", meter: "meter" }
      return {
        role: column.role === "secondary" ? "secondary" : column.quantity,
        unit: column.unit,
        meter: column.meter,
        where: column.where,
      }
    }),
  }
}

/** Name the meters of columns that hold the same quantity apart: "meter", "meter 2" ... */
function metersApart(columns: ColumnDraft[]): ColumnDraft[] {
  const seen = new Map<Role, number>()
  return columns.map((column) => {
    if (!METERED.includes(column.role)) return column
    const count = (seen.get(column.role) ?? 0) + 1
    seen.set(column.role, count)
    return count === 1 ? column : { ...column, meter: `meter ${count}` }
  })
}

/** Quantities of which no unit is the usual one: counters count Wh, kWh or joules, and work by the line or the second. */
const ASKED: readonly Role[] = ["energy", "energy since the line before", "throughput"]

/** Take another role, with a unit that fits it: the one before where it does, else the usual one, or none to ask. */
export function withRole(
  column: ColumnDraft,
  role: Role,
  holds: Draft["holds"],
  units: CsvProposal["units"],
): ColumnDraft {
  const possible = unitsOf(role, holds, units)
  const usual = ASKED.includes(role) && holds !== "table of results" ? "" : (possible[0] ?? "")
  return { ...column, role, unit: possible.includes(column.unit) ? column.unit : usual }
}

/** Turn choices that another kind of file does not have into nothing. */
export function withKind(draft: Draft, holds: Draft["holds"], units: CsvProposal["units"]): Draft {
  const roles = rolesOf(holds)
  const columns = draft.columns.map((column) =>
    withRole(column, roles.includes(column.role) ? column.role : "nothing", holds, units),
  )
  return { ...draft, holds, columns }
}

/** The mapping that was chosen so far; the service says what it lacks. */
export function mappingOf(draft: Draft, proposal: CsvProposal): CsvMapping {
  const names = proposal.columns.map((column) => column.name)
  const place = (index: number): string | number => {
    const name = names[index]!
    const isOne = names.indexOf(name) === names.lastIndexOf(name)
    return name && name.length < LONGEST_NAME && isOne ? name : index + 1
  }
  const isTable = draft.holds === "table of results"
  const stamps = draft.columns.flatMap((column, index) => (column.role === "time" ? [place(index)] : []))
  return {
    name: draft.name.trim(),
    holds: draft.holds,
    encoding: proposal.encoding as CsvMapping["encoding"],
    delimiter: proposal.delimiter as CsvMapping["delimiter"],
    decimal: proposal.decimal as CsvMapping["decimal"],
    header_rows: proposal.header_rows,
    names_row: proposal.header_rows,
    header: proposal.header_rows ? names : [],
    time: isTable || !stamps.length ? null : { columns: stamps, format: draft.format },
    zone: isTable ? null : draft.zone.trim() || null,
    readings: draft.readings,
    columns: draft.columns.flatMap((column, index) => {
      const quantity = quantityOf(column.role)
      if (!quantity) return []
      const role = column.role === "secondary" ? "secondary" : "wall"
      return [
        {
          column: place(index),
          quantity,
          unit: column.unit,
          meter: column.meter.trim() || "meter",
          role,
          where: column.where ?? {},
        } as const,
      ]
    }),
    where: draft.where ?? {},
    work_unit: draft.workUnit.trim() || "work",
    server: draft.server.trim(),
    configuration: draft.configuration.trim(),
    workload: draft.workload.trim(),
  }
}

/** The choice still missing before a trial; null: none. */
export function missing(draft: Draft, units: CsvProposal["units"]): "time" | "format" | "power" | "unit" | null {
  if (draft.columns.some(({ role, unit }) => !unit && unitsOf(role, draft.holds, units).length)) return "unit"
  const roles = draft.columns.map((column) => column.role)
  const hasPower = roles.some((role) => role === "power" || role === "secondary" || role.startsWith("energy"))
  if (draft.holds === "table of results") return hasPower ? null : "power"
  if (!roles.includes("time")) return "time"
  if (!draft.format) return "format"
  return hasPower ? null : "power"
}

/** Read a mistake of a mapping without the name of the field that the service found it in. */
export const mistakeOf = (cause: string): string => cause.replace(/^mapping(\.[\w.]+)?: (Value error, )?/, "")
