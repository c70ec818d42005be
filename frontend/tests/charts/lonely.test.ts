import { describe, expect, it } from "vitest"
import { lonely } from "@/charts/lonely"

describe("readings that stand alone", () => {
  it("are those between gaps, and at an end before or after one", () => {
    expect(lonely([5, null, 6, 7, null, 8, null, null, 9])).toEqual([0, 5, 8])
    expect(lonely([0])).toEqual([0])
  })

  it("are told apart on the stamps of several series, which break no line", () => {
    expect(lonely([5, undefined, 6, undefined, null])).toBeNull()
    expect(lonely([undefined, 5, undefined, null, 6, undefined, 7])).toEqual([1])
  })

  it("are none where a line is drawn or nothing was read", () => {
    expect(lonely([1, 2, null, 3, 4])).toBeNull()
    expect(lonely([null, null])).toBeNull()
    expect(lonely([])).toBeNull()
  })
})
