import { describe, expect, it } from "vitest"
import { facetOf, type Facets } from "@/pages/fleet/facets"
import { pageOf, partOf } from "@/lib/paging"
import { selectionQuery } from "@/pages/fleet/useFleetSelection"
import { fleetWords } from "@/strings/fleet"

describe("pages of a long list", () => {
  it.each([
    ["", 1],
    ["3", 3],
    ["0", 1],
    ["-2", 1],
    ["1.5", 1],
    ["x", 1],
  ])("reads the number of a page: %s", (text, page) => expect(pageOf(text)).toBe(page))

  it("asks for a page at a time and says which they are", () => {
    expect(partOf(3, 50)).toEqual({ offset: 100, limit: 50 })
    expect(fleetWords.page(1, 50, 3912, "configurations")).toBe("1–50 of 3\u202f912 configurations")
    expect(fleetWords.page(1, 0, 0, "runs")).toBe("0 runs")
  })
})

describe("the selection of a fleet", () => {
  const none = { lab: [], model: [], processor: [], dimms: [] }

  it("asks only for what is chosen", () => {
    expect(selectionQuery({ text: "  ", facets: none })).toEqual({})
    const facets = { ...none, lab: ["A", "B"], dimms: ["8", "many"] }
    expect(selectionQuery({ text: " r740 ", facets })).toEqual({ text: "r740", lab: ["A", "B"], dimms: [8] })
  })

  it("reads the values of a facet with what is left of it", () => {
    const empty = { values: [], more: 0 }
    const facets: Facets = {
      lab: { values: [{ value: "A", n: 7 }], more: 800 },
      model: empty,
      processor: empty,
      dimms: empty,
      matching: 7,
    }
    expect(facetOf(facets, "lab")).toEqual({ values: [{ value: "A", count: 7 }], more: 800 })
    expect(facetOf(undefined, "lab")).toEqual(empty)
  })
})
