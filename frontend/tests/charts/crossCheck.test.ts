import { describe, expect, it } from "vitest"
import { differenceExtent, equals, failures, parts, type Checked, type CrossCheck } from "@/charts/crossCheck/sources"

const source = (name: string, of: Partial<Checked>): Checked => ({
  source: name,
  title: name,
  measured_at: "inlet",
  place: "mains",
  whole: true,
  simulated: false,
  power_w: 300,
  difference: { value: 1, unit: "%", u: 0.1, dof: null, k95: 2, U95: 0.2 },
  share_pct: 101,
  limit_pct: 2,
  limit_basis: "",
  lag_s: null,
  line: null,
  no_line: "",
  levels: [],
  statement: "",
  verdict: { rule: "cross-check", value: 1, limit: 2, unit: "%", outcome: "pass", text: "" },
  ...of,
})
const check: CrossCheck = {
  reference: "wall",
  power: { value: 297, unit: "W", u: 0.5, dof: null, k95: 2, U95: 1 },
  sources: [
    source("pdu", {}),
    source("bmc", { difference: { value: -8, unit: "%", u: null, dof: null, k95: null, U95: null }, limit_pct: 5 }),
    source("rapl", { whole: false, share_pct: 40, limit_pct: null }),
    source("late", { share_pct: null, difference: null }),
    source("off", { verdict: { rule: "cross-check", value: 9, limit: 2, unit: "%", outcome: "fail", text: "" } }),
  ],
}

describe("sources of a cross-check", () => {
  it("separates what should equal the wall meter from its parts, and omits what was not compared", () => {
    expect(equals(check).map((row) => row.name)).toEqual(["pdu", "bmc", "off"])
    expect(parts(check).map((row) => [row.name, row.value])).toEqual([["rapl", 40]])
  })
  it("shows no interval where none is known", () => {
    expect(equals(check).map((row) => row.half)).toEqual([0.2, null, 0.2])
  })
  it("makes room for every interval and limit", () => {
    expect(differenceExtent(equals(check))).toBe(8)
    expect(differenceExtent(equals({ ...check, sources: [source("pdu", {})] }))).toBe(2)
    expect(differenceExtent([])).toBe(0.1)
  })
  it("counts failures", () => {
    expect(failures(check)).toBe(1)
  })
})
