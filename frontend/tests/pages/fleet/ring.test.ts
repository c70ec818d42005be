import { describe, expect, it } from "vitest"
import { extent, scoreText, valueText, verdictOf, type RingLab } from "@/charts/ring/ring"
import { addressOf, excludedBy, itemRequest, ringRequest, verdictOfRing } from "@/pages/fleet/ring"
import { interval } from "../../charts/comparison"

const ITEM = {
  server_model: "R740",
  processor: "",
  memory: "8 x 4 GiB",
  dimm_count: 8,
  workload: "w",
  level: "l",
  simulated: false,
}
const lab = (over: Partial<RingLab>): RingLab => ({
  lab: "A",
  key: "s (A)/c",
  server: "s (A)",
  configuration: "c",
  runs: [],
  n: 3,
  value: interval(100, 2),
  difference: { value: 1, U95: 2 },
  difference_pct: 1,
  en: 0.5,
  z: null,
  signal: "satisfactory",
  in_reference: true,
  reason: "",
  ...over,
})
const reference = {
  value: 99,
  U95: 1,
  labs: 2,
  consistency: { chi_squared: 1, dof: 1, p: 0.3, birge_ratio: 1, consistent: true },
  exact: true,
}

describe("a ring comparison in a list", () => {
  const ring = (over: object) =>
    ({ reference, consistency: reference.consistency, labs: [lab({}), lab({})], ...over }) as Parameters<
      typeof verdictOfRing
    >[0]

  it("says whether its labs agree, and how many are off", () => {
    expect(verdictOfRing(ring({})).tone).toBe("ok")
    const off = ring({ labs: [lab({}), lab({ signal: "action signal" }), lab({ signal: "warning signal" })] })
    expect(verdictOfRing(off)).toEqual({ tone: "warn", word: "2 of 3 labs off" })
    expect(verdictOfRing(ring({ consistency: { ...reference.consistency, consistent: false } })).tone).toBe("warn")
    expect(verdictOfRing(ring({ reference: null })).word).toBe("No consensus value")
  })

  it("is asked for as its own page asks for it", () => {
    expect(itemRequest(ITEM)).toEqual({
      workload: "w",
      level: "l",
      model: "R740",
      processor: "",
      memory: "8 x 4 GiB",
      dimms: 8,
      figure: "efficiency",
    })
    expect(itemRequest({ ...ITEM, simulated: true, dimm_count: null })).toMatchObject({ simulated: true })
  })
})

describe("a ring comparison", () => {
  it("goes through the address and back; what records do not state stays unstated", () => {
    const { dimms, ...address } = addressOf(ITEM) as Record<string, string>
    const asked = { workload: "", level: "", model: "", processor: "", memory: "", simulated: "", ...address }
    expect(ringRequest({ ...asked, dimms: dimms!, figure: "power" })).toEqual({
      workload: "w",
      level: "l",
      model: "R740",
      processor: "",
      memory: "8 x 4 GiB",
      dimms: 8,
      figure: "power",
    })
    expect(ringRequest({ ...asked, model: "", dimms: "", figure: "power" })).toBeNull()
  })

  it.each([
    ["satisfactory", "ok"],
    ["warning signal", "warn"],
    ["action signal", "bad"],
  ] as const)("says the verdict by sign and word: %s", (signal, tone) =>
    expect(verdictOf({ signal })).toEqual({ tone, word: signal }),
  )

  it("says who is not judged, and by which score the others are", () => {
    expect(verdictOf({ signal: null })).toEqual({ tone: "none", word: "not judged" })
    expect(scoreText({ en: -1.256, z: null })).toBe("En −1.26")
    expect(scoreText({ en: null, z: 2.5 })).toBe("z 2.50")
    expect(scoreText({ en: null, z: null })).toBe("")
  })

  it("draws no interval that nobody states, and makes room for the band", () => {
    const bare = lab({ value: { value: 90, U95: null } })
    expect(valueText(bare, "W")).not.toContain("±")
    expect(valueText(lab({}), "W")).toContain("± 2.0")
    expect(extent({ labs: [lab({}), bare], reference })).toEqual([90, 102])
  })

  it("gathers what is left out by its reason", () => {
    const group = (key: string, why: string) => ({ lab: key, key, server: "s", n: 1, value: null, why })
    const reasons = excludedBy([group("a", "one run"), group("b", "unit"), group("c", "one run")])
    expect(reasons.map(({ why, groups }) => [why, groups.length])).toEqual([
      ["one run", 2],
      ["unit", 1],
    ])
  })
})
