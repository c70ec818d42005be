import { describe, expect, it } from "vitest"
import { smallestOf } from "@/pages/compare/smallest"

describe("the smallest difference that matters", () => {
  it("is any percentage that tells something apart", () => {
    expect(smallestOf("0.25")).toBe(0.25)
    expect(smallestOf(" 1,5 ")).toBe(1.5)
    expect(smallestOf("50")).toBe(50)
  })

  it("is nothing where it is no such number", () => {
    for (const text of ["", "0", "-1", "50.1", "two", "1 %", "Infinity"]) expect(smallestOf(text)).toBeNull()
  })
})
