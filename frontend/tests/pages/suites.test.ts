import { describe, expect, it } from "vitest"
import { suiteUrl, type SuiteLevel, type SuiteReport, type SuiteWorklet } from "@/api/suites"
import { LEVEL_COLUMNS, workletColumns } from "@/pages/suites/suiteColumns"

const level = (worklet: string, held: boolean | null, off_pct: number | null): SuiteLevel => ({
  worklet,
  kind: "cpu",
  target_pct: 50,
  asked: 1234.5,
  throughput: { value: 1200, low: 1190, high: 1210, U95: 10 },
  throughput_unit: "arrays/s",
  off_pct,
  held,
  power_w: { value: 200, low: null, high: null, U95: null },
  ops_per_joule: { value: 6, low: 5.9, high: 6.1, U95: 0.1 },
  n: 1,
  simulated: false,
  traceable: true,
  sources_disagree: false,
  scatter_only: false,
  included: false,
  remark: null,
})
const worklet = { workload: "paced.sort", kind: "cpu", score: null, curve: null } as unknown as SuiteWorklet
const report = {
  unit: "1/kW",
  levels: [level("paced.sort", true, 0.1), level("paced.sort", false, -2.87), level("paced.scan", true, 0)],
} as unknown as SuiteReport
const cell = (id: string, of: SuiteLevel): string => LEVEL_COLUMNS.find((column) => column.id === id)!.text!(of)

describe("the tables of a suite", () => {
  it("count the levels of a worklet that were held", () => {
    const held = workletColumns(report).find(({ id }) => id === "held")!
    expect(held.text!(worklet)).toBe("1 of 2")
  })

  it("leave a worklet without all of its levels without a score", () => {
    const score = workletColumns(report).find(({ id }) => id === "score")!
    expect(score.measured!(worklet)).toEqual({ value: "–", u: null })
  })

  it("say how far a level is from its target, and nothing where the target is not known", () => {
    expect(cell("off", level("paced.sort", false, -2.87))).toBe("−2.9 %")
    expect(cell("off", { ...level("paced.sort", null, null), asked: null })).toBe("–")
    expect(cell("asked", level("paced.sort", true, 0))).toContain("arrays/s")
  })

  it("name their files by suite and configuration", () => {
    expect(suiteUrl("graduated-server", "a/b c", "json")).toBe("/api/suites/graduated-server?configuration=a%2Fb+c")
    expect(suiteUrl("graduated-server", "a/b", "html")).toBe(
      "/api/export/suite-report.html?configuration=a%2Fb&suite=graduated-server",
    )
  })
})
