import { mount } from "@vue/test-utils"
import { describe, expect, it } from "vitest"
import DataTable from "@/components/DataTable.vue"
import { LONG, windowOf } from "@/components/rowWindow"

interface Row {
  id: string
}
const table = (count: number, over: { maxHeight?: string; onPage?: boolean; groupBy?: (row: Row) => string } = {}) =>
  mount(DataTable<Row>, {
    props: {
      caption: "Runs",
      columns: [{ id: "id", head: "Id", value: (row: Row) => row.id }],
      rows: Array.from({ length: count }, (_, k) => ({ id: `r${k}` })),
      rowKey: (row: Row) => row.id,
      ...over,
    },
  })
const drawn = (made: ReturnType<typeof table>) => made.findAll("tr[data-line]").map((row) => row.text())

describe("lines in sight", () => {
  it("are cut out so that the lines excluded keep their room", () => {
    for (const top of [0, 31, 5000, 319_000]) {
      const { first, last, above, below } = windowOf(10_000, 32, top, 640)
      expect(above + (last - first) * 32 + below).toBe(10_000 * 32)
      expect(first * 32).toBeLessThanOrEqual(top)
      expect(last * 32).toBeGreaterThanOrEqual(Math.min(top + 640, 320_000))
      expect(last - first).toBeLessThan(90)
    }
  })

  it("never lie beyond the end when rows went away", () => {
    expect(windowOf(10, 32, 5000, 640)).toMatchObject({ last: 10, below: 0 })
  })

  it("are drawn of a long table that scrolls, with its whole length told to screen readers", () => {
    const made = table(5000, { maxHeight: "600px" })
    expect(drawn(made).slice(0, 2)).toEqual(["r0", "r1"])
    expect(drawn(made).length).toBeLessThan(200)
    expect(made.find("table").attributes("aria-rowcount")).toBe("5001")
    expect(made.find("tr[data-line]").attributes("aria-rowindex")).toBe("2")
  })

  it("are drawn of a long table that scrolls with the page", () => {
    const made = table(5000, { onPage: true })
    expect(drawn(made).slice(0, 2)).toEqual(["r0", "r1"])
    expect(drawn(made).length).toBeLessThan(200)
  })

  it("begin with the name of the first group", () => {
    const made = table(5000, { maxHeight: "600px", groupBy: (row) => `ends with ${row.id.at(-1)}` })
    expect(made.findAll("tr.group").map((head) => head.text())).toEqual(["ends with 0"])
    expect(drawn(made).slice(0, 2)).toEqual(["r0", "r10"])
  })

  it("are all lines of a short table, and of one that does not scroll", () => {
    expect(drawn(table(LONG, { maxHeight: "600px" }))).toHaveLength(LONG)
    expect(drawn(table(LONG + 1))).toHaveLength(LONG + 1)
  })
})
