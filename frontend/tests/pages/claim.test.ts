import { describe, expect, it } from "vitest"
import { positive } from "@/lib/positive"
import { claimStatus } from "@/parts/claim"
import { memoryWords } from "@/strings/memory"

describe("watts as typed", () => {
  it("take either decimal sign and nothing that is no positive number", () => {
    expect(["6", " 6.5 ", "6,5"].map(positive)).toEqual([6, 6.5, 6.5])
    expect(["", " ", "0", "-3", "six", "1e999"].map(positive)).toEqual([null, null, null, null, null, null])
  })
})

describe("a slope held against a claim", () => {
  const claim = { claim_w: 6, margin_w: 1, p: 0.4, refuted: false, equivalent: false, text: "" }
  it("is refuted, equal, or neither: not refuted is not yet equal", () => {
    expect(claimStatus({ ...claim, refuted: true, equivalent: true }, memoryWords).word).toBe("Claim rejected")
    expect(claimStatus({ ...claim, equivalent: true }, memoryWords).word).toBe("Claim confirmed within the margin")
    expect(claimStatus(claim, memoryWords).word).toBe("Inconclusive")
  })
})
