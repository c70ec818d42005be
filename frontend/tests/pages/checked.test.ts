import { describe, expect, it } from "vitest"
import { counts, inOrder, type MeterVerdict } from "@/pages/meters/checked"
import { meterWords } from "@/strings/meters"

const verdict = (rule: string, outcome: MeterVerdict["outcome"]): MeterVerdict => ({
  rule,
  outcome,
  text: "",
  value: null,
  limit: null,
  unit: "",
  advice: "",
})
const verdicts = [verdict("a", "not-checked"), verdict("b", "pass"), verdict("c", "fail"), verdict("d", "pass")]

describe("a checked meter", () => {
  it("shows what failed first, and keeps the order of the rest", () => {
    expect(inOrder(verdicts).map((verdict) => verdict.rule)).toEqual(["c", "b", "d", "a"])
  })

  it("is summed up with the failures in front", () => {
    expect(counts(verdicts)).toEqual({ passed: 2, failed: 1, none: 1 })
    expect(meterWords.summary(2, 1, 1)).toBe("1 check failed, 2 passed, 1 not checked")
    expect(meterWords.summary(5, 0, 0)).toBe("5 passed")
  })
})
