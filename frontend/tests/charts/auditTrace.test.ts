import { describe, expect, it } from "vitest"
import type { AuditedRun } from "@/api/audits"
import { parts, pieces, reach, windowSeconds } from "@/charts/audit/auditTrace"

const stretch = (readings: number, mean_w: number | null) => ({ readings, mean_w })
const run: AuditedRun = {
  id: "r",
  title: "r",
  counted: true,
  begin_ns: 1e9,
  end_ns: 61e9,
  meters: 1,
  by_rule: 1,
  over_window: 1,
  refused: null,
  before: stretch(1, 100),
  inside: stretch(3, 300),
  after: stretch(0, null),
  estimated_w: 0,
  gaps: [{ begin_s: 10, end_s: 40 }],
  findings: [],
  trace: { t_s: [-5, 5, 10, 40], power_w: [100, 300, 300, 300], thinned: false },
}

describe("the trace of an audited run", () => {
  it("reaches from the first reading to the end of the window", () => {
    expect(windowSeconds(run)).toBe(60)
    expect(reach(run)).toEqual([-5, 60])
  })

  it("has a mean for each part that holds readings", () => {
    expect(parts(run)).toEqual([
      { name: "before", from: -5, to: 0, readings: 1, meanW: 100 },
      { name: "inside", from: 0, to: 60, readings: 3, meanW: 300 },
    ])
  })

  it("is not drawn across a silence", () => {
    expect(pieces(run)).toEqual([
      [
        [-5, 100],
        [5, 300],
        [10, 300],
      ],
      [[40, 300]],
    ])
  })
})
