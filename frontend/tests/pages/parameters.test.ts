import { describe, expect, it } from "vitest"
import {
  factorsOf,
  firstOf,
  firstTable,
  numberOf,
  PARAMETERS,
  queryOf,
  valuesOf,
  type Chosen,
} from "@/pages/export/parameters"
import { toggled, withView } from "@/pages/export/view"
import type { RunRow } from "@/pages/runs/verdicts"

const chosen = (over: Partial<Chosen> = {}): Chosen =>
  ({ ...Object.fromEntries(PARAMETERS.map((name) => [name, ""])), ...over }) as Chosen
const run = (server: string, workload: string, level: string, dimm_count: number | null = 2) =>
  ({ run_id: `${server}${level}`, server, configuration: "c", workload, level, dimm_count }) as RunRow
const available = {
  runs: [run("a", "rsa", "1"), run("a", "rsa", "2"), run("b", "db", "20", null)],
  published: [],
  parts: [],
  factors: new Map([["memory.gib", ["2", "4"]]]),
}

describe("the request for a table", () => {
  it("waits for what the table needs and excludes what does not concern it", () => {
    expect(queryOf("compare", chosen({ workload: "rsa" }))).toBeNull()
    expect(queryOf("compare", chosen({ workload: "rsa", level: "1", target: "9" }))).toEqual({
      workload: "rsa",
      level: "1",
    })
    expect(queryOf("results", chosen({ workload: "rsa" }))).toEqual({})
    expect(queryOf("extrapolated", chosen({ target: "3000", axis: "clock" }))).toEqual({
      target: "3000",
      axis: "clock",
    })
  })

  it("sends no number that is none", () => {
    expect(queryOf("extrapolated", chosen({ target: "-3" }))).toBeNull()
    expect(queryOf("scaling", chosen({ from_level: "5,5" }))).toEqual({ from_level: "5.5" })
    expect(numberOf("top", "2,5")).toBeNull()
    expect(numberOf("top", "10")).toBe(10)
    expect(numberOf("target", "2,5")).toBe(2.5)
  })

  it("has the order of a comparison and how many of the best", () => {
    const best = chosen({ workload: "rsa", level: "1", sort: "server", top: "10" })
    expect(queryOf("compare", best)).toEqual({ workload: "rsa", level: "1", sort: "server", top: "10" })
    expect(valuesOf("sort", "compare", chosen(), available)).toEqual(["rank", "server", "name"])
  })
})

describe("the choices of a parameter", () => {
  it("follow from what is chosen before it", () => {
    expect(valuesOf("server", "memory", chosen(), available)).toEqual(["a"])
    expect(valuesOf("level", "compare", chosen({ workload: "rsa" }), available)).toEqual(["1", "2"])
    expect(valuesOf("baseline", "compare", chosen({ workload: "db", level: "20" }), available)).toEqual(["b/c"])
    expect(valuesOf("new", "deltas", chosen({ factor: "memory.gib" }), available)).toEqual(["2", "4"])
    expect(valuesOf("target", "extrapolated", chosen(), available)).toEqual([])
    expect(valuesOf("against", "differences", chosen({ run_id: "a1" }), available)).toEqual(["a2", "b20"])
  })

  it("reads the factors that differ", () => {
    const preview = {
      table: "factors",
      title: "",
      columns: [],
      rows: [["disks", "1 TB; 4 TB NVMe"]],
      total: 1,
      footnotes: [],
      formats: [],
      choices: [],
      layouts: [],
    }
    expect(factorsOf(preview).get("disks")).toEqual(["1 TB", "4 TB NVMe"])
  })
})

describe("what the page opens on", () => {
  const of = (configuration: string, workload: string, level: string) =>
    ({ ...run("a", workload, level), configuration }) as RunRow

  it("is the comparison with most runs, where several configurations ran the same", () => {
    const runs = [
      of("x", "rsa", "4"),
      of("y", "rsa", "4"),
      of("x", "db", "20"),
      of("x", "db", "20"),
      of("x", "db", "20"),
    ]
    expect(firstTable(runs)).toBe("compare")
    expect(firstOf("workload", "compare", chosen(), { ...available, runs })).toBe("rsa")
    expect(firstOf("level", "compare", chosen({ workload: "db" }), { ...available, runs })).toBe("20")
  })

  it("is all results, where there is nothing to compare", () => {
    expect(firstTable([])).toBe("results")
    expect(firstTable([of("x", "rsa", "4")])).toBe("results")
    expect(firstOf("server", "memory", chosen(), available)).toBeNull()
  })
})

describe("the view of a table", () => {
  it("asks for what the service does not take by itself", () => {
    expect(withView({ rule: "mlperf" }, "paper", "")).toEqual({ rule: "mlperf" })
    expect(withView({}, "full", "")).toEqual({ layout: "full" })
    expect(withView({}, "full", "title,n")).toEqual({ columns: "title,n" })
    expect(withView(null, "full", "")).toBeNull()
  })

  it("names the columns in the order of the table, one at least", () => {
    const choices = [
      { key: "title", title: "", unit: "", shown: true },
      { key: "n", title: "", unit: "", shown: false },
      { key: "power_w", title: "", unit: "W", shown: true },
    ]
    expect(toggled(choices, "n", true)).toBe("title,n,power_w")
    expect(toggled(choices, "title", false)).toBe("power_w")
    expect(toggled([choices[0]!], "title", false)).toBe("title")
  })
})
