import { describe, expect, it } from "vitest"
import type { Group, Pair } from "@/charts/compare/points"
import { moreRuns, pairWords, untestedWhy } from "@/pages/compare/pairWords"
import { interval } from "../charts/comparison"

const pair = (over: Partial<Pair>): Pair => ({
  key: "b",
  baseline: "a",
  ratio: interval(1.01, 0.01),
  p_adjusted: null,
  significant: false,
  equivalent: false,
  repeats_needed: null,
  verdict: "",
  budget: [],
  cancels: [],
  ...over,
})

describe("a configuration against the baseline", () => {
  it("keeps apart what differs, what is equal, and what nothing shows", () => {
    expect(pairWords(pair({ significant: true }), 2)).toBe("significantly higher")
    expect(pairWords(pair({ significant: true, ratio: interval(0.9, 0.01) }), 2)).toBe("significantly lower")
    expect(pairWords(pair({}), 2)).toBe("no significant difference")
    expect(pairWords(pair({ equivalent: true }), 2)).toMatch(/^equal within 2\s%$/)
    expect(pairWords(pair({ significant: null, equivalent: null }), 2)).toBe("not testable")
  })

  it("says of a difference that is sure but small that it is small", () => {
    expect(pairWords(pair({ significant: true, equivalent: true, ratio: interval(0.995, 0.004) }), 2.5)).toMatch(
      /^significantly lower, by less than 2\.5\s%$/,
    )
  })

  it("says how many more runs would tell, only where that is open", () => {
    expect(moreRuns(pair({ repeats_needed: 4 }), 2)).toMatch(/^about 4 more repeats of each would resolve 2\s%$/)
    expect(moreRuns(pair({ repeats_needed: 4, equivalent: true }), 2)).toBeNull()
    expect(moreRuns(pair({ repeats_needed: 4, significant: true }), 2)).toBeNull()
    expect(moreRuns(pair({}), 2)).toBeNull()
  })

  it("says why it is not tested", () => {
    const group = (kind: Group["kind"], n: number) => ({ kind, n }) as Group
    const open = pair({ significant: null, ratio: { value: 1.01, U95: null } })
    const measured = group("measured", 3)
    expect(untestedWhy(open, measured, group("simulated", 3))).toBe("one is simulated, the other measured")
    expect(untestedWhy(open, group("measured", 1), measured)).toBe("one run only: scatter between runs unknown")
    expect(untestedWhy(open, measured, group("measured", 1))).toBe(
      "the baseline has one run only: its scatter is unknown",
    )
    expect(untestedWhy(open, group("measured", 1), group("measured", 1))).toBe(
      "one run each: scatter between runs unknown",
    )
    expect(untestedWhy(open, measured, group("measured", 2))).toBe("two runs: too few to estimate scatter")
    expect(untestedWhy(open, group("published", 1), measured)).toBe("published figure")
    expect(untestedWhy(open, measured, measured)).toBe("different meters, accuracy not known")
    expect(untestedWhy(pair({}), measured, measured)).toBeNull()
    const apart = pair({ significant: null })
    const ran = (version: string) => ({ ...measured, program_versions: [version] })
    expect(untestedWhy(apart, ran("16.02"), ran("23.01"))).toBe("different versions of the load program")
    expect(untestedWhy(apart, ran("16.02"), ran("16.02"))).toBe("different meters, accuracy not known")
    const after = pair({ significant: null, turns: "one after the other" })
    expect(pairWords(after, 2)).toBe("not separable from time")
    expect(untestedWhy(after, measured, measured)).toBe(
      "measured one after the other: what changed in between is in the difference",
    )
    const unknown = pair({ significant: null, turns: "not recorded" })
    expect(untestedWhy(unknown, measured, measured)).toBe("when the runs were made is not recorded")
    expect(untestedWhy(after, group("measured", 1), measured)).toBe("one run only: scatter between runs unknown")
  })
})
