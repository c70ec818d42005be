import { describe, expect, it } from "vitest"
import { shownIdentities } from "@/charts/compare/shownIdentity"
import { identities } from "@/charts/identity"
import { compareColumns } from "@/pages/compare/compareColumns"
import { FACETS, inOrder, narrowings, type Chosen, type Selection } from "@/pages/compare/selection"
import { compare, group, interval } from "../charts/comparison"

const pair = (key: string, baseline: string, ratio: number) => ({
  key,
  baseline,
  ratio: interval(ratio, 0.01),
  p_adjusted: 0.001,
  significant: true,
  verdict: "",
  budget: [],
  cancels: [],
})
const groups = [group("a", 20), group("b", 25), group("c", 22)]
const pairs = [pair("b", "a", 1.25), pair("c", "a", 1.1)]

describe("the column against the best", () => {
  it("stands beside the one against another baseline, and is empty for the best itself", () => {
    const data = compare(groups, {
      baseline: "a",
      best: "b",
      pairs,
      against_best: [pair("a", "b", 0.8), pair("c", "b", 0.88)],
    })
    const columns = compareColumns(data, new Map(pairs.map((of) => [of.key, of])))
    expect(columns.map(({ head }) => head).filter((head) => head.startsWith("vs"))).toEqual(["vs baseline", "vs best"])
    const best = columns.find(({ id }) => id === "best")!
    expect(groups.map((row) => best.measured!(row).value)).toEqual(["−20.0", "", "−12.0"])
    expect(inOrder(data, groups, "-best").map(({ key }) => key)).toEqual(["b", "c", "a"])
  })

  it("is the one against the baseline where that is the best", () => {
    const data = compare(groups, { baseline: "b", best: "b", pairs: [], against_best: [] })
    const heads = compareColumns(data, new Map()).map(({ head }) => head)
    expect(heads.filter((head) => head.startsWith("vs"))).toEqual(["vs best"])
  })
})

describe("what stands out", () => {
  it("is coloured among any number of rows", () => {
    const many = Array.from({ length: 40 }, (_, k) => group(`g${k}`, k))
    const known = identities(
      [],
      many.map(({ key }) => key),
    )
    const shown = shownIdentities(many, known, new Set(["g39", "g38"]))
    expect(shown.get("g39")).toEqual(known.get("g39"))
    expect(shown.get("g1")!.colour).toBe("var(--text-3)")
  })

  it("is counted on the button that folds the filters", () => {
    const none = Object.fromEntries(FACETS.map((facet) => [facet, []])) as unknown as Chosen
    const all: Selection = { text: "", facets: none, pins: new Set(), onlyPins: false, top: null }
    expect(narrowings(all)).toBe(0)
    expect(narrowings({ ...all, text: "x", top: 10, facets: { ...none, cpu: ["EPYC"] } })).toBe(3)
  })
})
