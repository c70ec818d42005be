import { describe, expect, it } from "vitest"
import type { ImportedResult } from "@/api/audits"
import { comparisonOf, matching } from "@/pages/library/imported"

/** Figures as SPEC printed them. */
const result = (over: Partial<ImportedResult>): ImportedResult => ({
  id: "specpower-1",
  collection: "SPECpower_ssj2008",
  title: "Sun Netra X4250",
  maker: "Sun Microsystems",
  cpu: "Intel Xeon L5408",
  workload: "specpower.ssj2008",
  overall: 600,
  unit: "ssj_ops/W",
  printed: true,
  levels: 11,
  tested_on: "2009-03-10",
  published_on: "2009-03-30",
  available_on: "2008-07-01",
  source: "power_ssj2008-20090310-00128.txt",
  has_audit: true,
  remarks: [],
  ...over,
})

describe("the imported results of the library", () => {
  const results = [result({}), result({ id: "csv-2", title: "web-3", cpu: "", collection: "csv", published_on: null })]

  it("are found by every word, of name, CPU, source or date", () => {
    expect(matching(results, "").map(({ id }) => id)).toEqual(["specpower-1", "csv-2"])
    expect(matching(results, "netra l5408 2009-03").map(({ id }) => id)).toEqual(["specpower-1"])
    expect(matching(results, "netra web-3")).toEqual([])
  })

  it("lead to the comparison in which they stand, over all loads where they have several", () => {
    expect(comparisonOf(results[0]!)).toBe(
      "/compare?workload=specpower.ssj2008&at=published%3Aspecpower-1&level=overall",
    )
    expect(comparisonOf(result({ levels: 1 }))).not.toContain("level")
  })
})
