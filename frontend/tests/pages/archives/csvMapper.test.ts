import { describe, expect, it } from "vitest"
import type { CsvProposal } from "@/api/csvMappings"
import { draftFrom, draftOf, mappingOf, missing, mistakeOf, withKind, withRole } from "@/pages/archives/csvMapper"

const column = (name: string, quantity: string | null, unit: string) => ({
  ...{ name, quantity, unit, cells: ["1"], is_number: true },
})
const proposal: CsvProposal = {
  encoding: "utf-8",
  delimiter: ",",
  decimal: ".",
  header_rows: 1,
  columns: [
    column("Date", null, ""),
    column("Power", "power", "mW"),
    column("Power", "power", "W"),
    column("Ops", null, ""),
  ],
  time_columns: [1],
  formats: ["iso 8601"],
  rows: [],
  units: { power: ["W", "mW"], throughput: ["1/s", "count"], "idle power": ["W"] },
  fitting: [],
}

describe("a mapping in the making", () => {
  it("begins with the proposal, never with a time zone, and never with a form where two fit", () => {
    const draft = draftOf(proposal, "plug log.csv")
    expect(draft.name).toBe("plug log")
    expect(draft.zone).toBe("")
    expect(draft.columns.map(({ role }) => role)).toEqual(["time", "power", "power", "nothing"])
    expect(draft.columns.map(({ meter }) => meter)).toEqual(["meter", "meter", "meter 2", "meter"])
    const two = draftOf({ ...proposal, formats: ["%d/%m/%Y %H:%M", "%m/%d/%Y %H:%M"] }, "x.csv")
    expect(two.format).toBe("")
    expect(missing(two, proposal.units)).toBe("format")
  })

  it("asks for a unit that the file does not show", () => {
    const columns = [proposal.columns[0]!, column("power1_input", "power", "")]
    const draft = draftOf({ ...proposal, columns }, "x.csv")
    expect(draft.columns[1]!.unit).toBe("")
    expect(missing(draft, proposal.units)).toBe("unit")
    draft.columns[1]!.unit = "mW"
    expect(missing(draft, proposal.units)).toBeNull()
    const units = { ...proposal.units, energy: ["Wh", "kWh"] }
    const counter = withRole(draft.columns[1]!, "energy", "power log", units)
    expect(counter.unit).toBe("")
    expect(missing({ ...draft, columns: [draft.columns[0]!, counter] }, units)).toBe("unit")
    expect(withRole(counter, "power", "power log", units).unit).toBe("W")
    expect(withRole({ ...counter, unit: "kWh" }, "energy", "power log", units).unit).toBe("kWh")
  })

  it("names columns by their names where they are unique, else by number", () => {
    const mapping = mappingOf({ ...draftOf(proposal, "x.csv"), zone: " UTC " }, proposal)
    expect(mapping.time).toEqual({ columns: ["Date"], format: "iso 8601" })
    expect(mapping.columns.map(({ column, unit, meter }) => [column, unit, meter])).toEqual([
      [2, "mW", "meter"],
      [3, "W", "meter 2"],
    ])
    expect(mapping.zone).toBe("UTC")
    expect(mapping.header).toEqual(["Date", "Power", "Power", "Ops"])
  })

  it("drops what another kind of file does not have, and has no count as the throughput of a table", () => {
    const table = withKind(draftOf(proposal, "x.csv"), "table of results", proposal.units)
    expect(table.columns.map(({ role }) => role)).toEqual(["nothing", "power", "power", "nothing"])
    expect(mappingOf(table, proposal).time).toBeNull()
    table.columns[3] = { role: "throughput", unit: "1/s", meter: "meter" }
    const log = withKind(table, "power log", proposal.units)
    expect(log.columns[3]!.role).toBe("nothing")
    expect(missing(log, proposal.units)).toBe("time")
  })

  it("is the same again after it was kept", () => {
    const draft = draftOf(proposal, "x.csv")
    draft.columns[2] = { role: "secondary", unit: "W", meter: "BMC" }
    const mapping = mappingOf(draft, proposal)
    expect(mapping.columns[1]!.role).toBe("secondary")
    expect(mappingOf(draftFrom(mapping, proposal), proposal)).toEqual(mapping)
  })

  it("has mistakes without the name of a field of the service", () => {
    expect(mistakeOf("mapping: No column holds power or energy")).toBe("No column holds power or energy")
    expect(mistakeOf("mapping.columns.0.meter: Value error, too long")).toBe("too long")
  })
})
