import { describe, expect, it } from "vitest"
import type { Group } from "@/charts/compare/points"
import { matrixKeys } from "@/pages/compare/matrix"
import {
  bestFirst,
  FACETS,
  facetChoices,
  folded,
  groupingOf,
  inOrder,
  memoryOf,
  selected,
  unrankedReasons,
  type Chosen,
  type Selection,
} from "@/pages/compare/selection"
import { compare, group } from "../charts/comparison"

const facts = (cpu: string, memory_type: string, tags: string[] = []) => ({ cpu, memory_type, memory_gib: 64, tags })
const groups: Group[] = [
  group("s/a", 20, { server: "s", dimm_count: 2, facts: facts("Xeon", "RDIMM", ["winter"]), runs: ["1"] }),
  group("s/b", 30, { server: "s", dimm_count: 4, facts: facts("Xeon", "LRDIMM"), runs: ["2"] }),
  group("t/a", 25, { server: "t", dimm_count: 16, facts: facts("EPYC", "RDIMM"), runs: ["3"] }),
  group("published:x", 57, { server: "x", kind: "published", facts: facts("Niagara", "DDR2") }),
  group("t/z", null, {
    server: "t",
    runs: ["4", "5"],
    unranked: { efficiency: { value: 10, n: 2, why: "no ±" } },
    facts: facts("EPYC", "RDIMM"),
  }),
]
const data = compare(groups, { baseline: "s/a" })
const none = Object.fromEntries(FACETS.map((facet) => [facet, []])) as unknown as Chosen
const all: Selection = { text: "", facets: none, pins: new Set(), onlyPins: false, top: null }
const keys = (over: Partial<Selection>) => selected(data, { ...all, ...over }, "efficiency").map((each) => each.key)

describe("what of a comparison is seen", () => {
  it("is all of it without a choice, what is not ranked included", () => {
    expect(keys({})).toEqual(groups.map((each) => each.key))
  })

  it("has every word of the search somewhere, and the baseline always", () => {
    expect(keys({ text: "EPYC rdimm" })).toEqual(["s/a", "t/a", "t/z"])
    expect(keys({ text: "nothing at all" })).toEqual(["s/a"])
  })

  it("has one of the values of each facet", () => {
    expect(keys({ facets: { ...none, cpu: ["EPYC", "Niagara"], memory: ["RDIMM"] } })).toEqual(["s/a", "t/a", "t/z"])
    expect(keys({ facets: { ...none, tag: ["winter"] } })).toEqual(["s/a"])
  })

  it("is the best so many, with pins and baseline beside them", () => {
    expect(keys({ top: 1 })).toEqual(["s/a", "s/b"])
    expect(keys({ top: 1, pins: new Set(["t/z"]) })).toEqual(["s/a", "s/b", "t/z"])
    expect(keys({ top: 4 })).toEqual(["s/a", "s/b", "t/a", "t/z"])
    expect(keys({ top: 5 })).toContain("published:x")
    expect(keys({ onlyPins: true, pins: new Set(["s/b"]) })).toEqual(["s/a", "s/b"])
  })
})

describe("facets", () => {
  const counts = (facet: string, over: Partial<Selection> = {}) =>
    facetChoices(data, { ...all, ...over }).find((choice) => choice.facet === facet)?.values

  it("count what each value would leave, whatever is chosen of the same facet", () => {
    const facets = { ...none, cpu: ["EPYC"] }
    expect(counts("cpu", { facets })).toEqual([
      { value: "EPYC", count: 2 },
      { value: "Niagara", count: 1 },
      { value: "Xeon", count: 2 },
    ])
    expect(counts("server", { facets })).toEqual([
      { value: "s", count: 0 },
      { value: "t", count: 2 },
    ])
  })

  it("are in the order in which people count, and omitted where there is nothing to choose", () => {
    expect(counts("modules")!.map((each) => each.value)).toEqual(["2", "4", "16"])
    expect(counts("lab")).toBeUndefined()
  })
})

describe("the order of rows", () => {
  it("is by any column, what is not ranked by it last in both directions", () => {
    const order = (sort: string) => inOrder(data, groups, sort).map((each) => each.key)
    expect(order("-efficiency")).toEqual(["published:x", "s/b", "t/a", "s/a", "t/z"])
    expect(order("efficiency")).toEqual(["s/a", "t/a", "s/b", "published:x", "t/z"])
    expect(bestFirst(data, "efficiency")).toBe("-efficiency")
    expect(bestFirst(data, "power")).toBe("power")
  })

  it("puts rows under their server or their memory", () => {
    expect(groupingOf("server")!(groups[2]!)).toBe("t")
    expect(groupingOf("memory")!(groups[0]!)).toBe("2 modules, RDIMM")
    expect(memoryOf(groups[0]!)).toMatch(/^2 modules, RDIMM, 64\s?GiB$/)
    expect(groupingOf("none")).toBeNull()
  })
})

describe("sentences that repeat", () => {
  it("are said once, with all rows they hold for", () => {
    const remarked = [group("a", 1, { remarks: ["Same."] }), group("b", 2, { remarks: ["Other.", "Same."] })]
    expect(folded(remarked)).toEqual([
      { text: "Same.", names: ["a", "b"] },
      { text: "Other.", names: ["b"] },
    ])
  })

  it("say why configurations are not ranked, each reason once", () => {
    expect(unrankedReasons(data, groups).map(({ why, groups: of }) => [why, of.map((each) => each.key)])).toEqual([
      ["no ±", ["t/z"]],
    ])
  })
})

describe("the matrix", () => {
  it("is asked for measured configurations alone, in their order", () => {
    const simulated = group("s/a (simulated)", 20, { runs: ["9"], kind: "simulated" })
    expect(matrixKeys([groups[3]!, groups[1]!, simulated, groups[0]!])).toEqual(["s/b", "s/a"])
  })
})
