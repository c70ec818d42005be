import { mount } from "@vue/test-utils"
import { describe, expect, it } from "vitest"
import DataTable from "@/components/DataTable.vue"
import { fractionWidth, integerPart, type Column } from "@/components/tableModel"
import { createFormat } from "@/format"

const format = createFormat("en", "UTC")
interface Row {
  id: string
  name: string
  watts: number | null
  u: number | null
}
const rows: Row[] = [
  { id: "1", name: "config 10", watts: 245.31, u: 1.9 },
  { id: "2", name: "config 2", watts: 1101.2828, u: 0.021 },
  { id: "3", name: "config 1", watts: null, u: null },
]
const columns: Column<Row>[] = [
  { id: "name", head: "Name", value: (row) => row.name },
  {
    id: "watts",
    head: "Power",
    unit: "W",
    value: (row) => row.watts,
    measured: (row) => format.measured(row.watts, row.u),
  },
]

const table = (sortBy: string, descending = false) =>
  mount(DataTable<Row>, {
    props: { caption: "Runs", columns, rows, rowKey: (row: Row) => row.id, sortBy, descending },
  })
const names = (made: ReturnType<typeof table>) => made.findAll("tbody tr td:first-child").map((cell) => cell.text())

describe("sorting", () => {
  it("reads numbers in names as numbers", () => {
    expect(names(table("name"))).toEqual(["config 1", "config 2", "config 10"])
  })

  it("puts what is missing last in both directions", () => {
    expect(names(table("watts"))).toEqual(["config 10", "config 2", "config 1"])
    expect(names(table("watts", true))).toEqual(["config 2", "config 10", "config 1"])
  })

  it("turns with each click and tells it to screen readers", async () => {
    const made = table("name")
    const head = made.findAll("th")[1]!
    expect(head.attributes("aria-sort")).toBeUndefined()
    await head.find("button").trigger("click")
    expect(made.findAll("th")[1]!.attributes("aria-sort")).toBe("descending")
    expect(names(made)[0]).toBe("config 2")
    await head.find("button").trigger("click")
    expect(made.findAll("th")[1]!.attributes("aria-sort")).toBe("ascending")
    expect(names(made)[0]).toBe("config 10")
  })

  it("follows rows that are replaced", async () => {
    const made = table("name")
    await made.setProps({ rows: rows.slice(0, 2) })
    expect(names(made)).toEqual(["config 2", "config 10"])
  })
})

describe("decimal alignment", () => {
  it("leaves the room of the longest fraction to all cells", () => {
    expect(fractionWidth(["245.3", "1 101.283", "–"], ".")).toBe(4)
    expect(fractionWidth(["12", "7"], ".")).toBe(0)
    expect(integerPart("1\u202f101,283", ",")).toBe("1\u202f101")
  })

  it("shows a value and its ± on the same last digit", () => {
    const cells = table("watts", true).findAll("tbody tr td:nth-child(2)")
    expect(cells[0]!.text().replaceAll(/\s+/g, " ")).toMatch(/^1 101\.283 ?± 0\.021$/)
    expect(cells[2]!.text()).toBe("–")
  })
})
