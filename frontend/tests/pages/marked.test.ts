import { describe, expect, it } from "vitest"
import { linesOf, piecesOf, same, toggled } from "@/pages/workloads/marked"

describe("an output that is marked", () => {
  it("is cut where the service cuts it", () => {
    expect(linesOf("a\r\nb\rc\n")).toEqual(["a", "b", "c", ""])
  })

  it("has a button for every number, at its place", () => {
    const pieces = piecesOf("[ 5s ] tps: 1,975.2 (r/w: 1.2e6), v2.1.", 7)
    expect(pieces.filter(({ number }) => number).map(({ text }) => text)).toEqual(["5", "1,975.2", "1.2e6"])
    expect(pieces[3]!.number).toEqual({ line: 7, begin: 12, end: 19 })
    expect(pieces.map(({ text }) => text).join("")).toBe("[ 5s ] tps: 1,975.2 (r/w: 1.2e6), v2.1.")
    expect(piecesOf("", 0)).toEqual([{ text: "", number: null }])
  })

  it("has a mark until it is pressed again", () => {
    const marking = { line: 1, begin: 4, end: 9 }
    expect(toggled([], marking)).toEqual([marking])
    expect(toggled([marking], { ...marking })).toEqual([])
    expect(same(marking, null)).toBe(false)
  })
})
