import { describe, expect, it } from "vitest"
import { placesOf, sharedRemarks } from "@/pages/campaign/remarks"

describe("remarks of a run table", () => {
  const busy = (share: number) => `Other programs used ${share} % of the CPU time in the window.`

  it("are said once where they differ in figures alone, with the runs that they are about", () => {
    const shared = sharedRemarks([
      { order: 0, text: busy(97) },
      { order: 1, text: "The BMC is 63.1 % below the meter." },
      { order: 2, text: busy(8.5) },
      { order: 3, text: "" },
      { order: 4, text: busy(97) },
    ])
    expect(shared).toEqual([{ letter: "a", text: busy(97), orders: [0, 2, 4], alike: false }])
  })

  it("of two kinds have two letters, in the order of the table", () => {
    const texts = ["one", "two", "two", "one"]
    const shared = sharedRemarks(texts.map((text, order) => ({ order, text })))
    expect(shared.map(({ letter, text, alike }) => [letter, text, alike])).toEqual([
      ["a", "one", true],
      ["b", "two", true],
    ])
  })

  it("name runs by their places in the table", () => {
    expect(placesOf([0, 1, 2, 4, 6, 7])).toBe("1 to 3, 5, 7, 8")
    expect(placesOf([3])).toBe("4")
  })
})
