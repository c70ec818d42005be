import { describe, expect, it } from "vitest"
import { typeset } from "@/format"
import { sentences } from "@/lib/sentences"

describe("sentences of the service", () => {
  it("have a true minus before a number and keep hyphens of words, names and dates", () => {
    expect(typeset("lies -62 J from it (-0.5 to 1)")).toBe("lies −62\u00a0J from it (−0.5 to 1)")
    expect(typeset("FB-DIMM on 2026-03-02 by SDM120-2")).toBe("FB-DIMM on 2026-03-02 by SDM120-2")
  })

  it("keep a number with its unit and break elsewhere", () => {
    expect(typeset("95 % interval, 6.26 W with 4 DIMMs in 9 runs")).toBe(
      "95\u00a0% interval, 6.26\u00a0W with 4\u00a0DIMMs in 9\u00a0runs",
    )
    expect(typeset("3 Weeks")).toBe("3 Weeks")
  })

  it("come apart at full stops, not at decimal points", () => {
    expect(sentences("Each costs 6.26 W. “2 DIMMs” uses 2 of 4. Idle, more.")).toEqual([
      "Each costs 6.26 W.",
      "“2 DIMMs” uses 2 of 4.",
      "Idle, more.",
    ])
    expect(sentences("")).toEqual([""])
  })
})
