import { describe, expect, it } from "vitest"
import type { PartChoice } from "@/api/parts"
import { chosenOf, choiceKey, kindsOf, othersOf } from "@/pages/parts/choices"
import { nounOf } from "@/strings/parts"

const choice = (kind: string, part: string, server = "s", level = "4 jobs"): PartChoice => ({
  key: `${kind}: ${part}`,
  kind,
  part,
  server,
  workload: "fio.randread",
  level,
  counts: [2, 4],
})
const choices = [
  choice("drive", "A"),
  choice("drive", "B"),
  choice("network card", "N"),
  choice("drive", "A", "t"),
  choice("drive", "A", "s", "1 job"),
]
const asked = { part: "", server: "", workload: "", level: "" }

describe("the parts that can be shown", () => {
  it("are what the address names, else those with most counts", () => {
    expect(chosenOf(choices, asked)).toBe(choices[0])
    expect(chosenOf(choices, { ...asked, part: "network card: N" })).toBe(choices[2])
    expect(chosenOf(choices, { ...asked, server: "t" })).toBe(choices[3])
    expect(chosenOf(choices, { ...asked, part: "fan: F" })).toBeUndefined()
    expect(kindsOf(choices)).toEqual(["drive", "network card"])
  })

  it("are compared with others of their kind under the same work", () => {
    expect(othersOf(choices, choices[0]!).map(choiceKey)).toEqual([choices[1]!, choices[3]!].map(choiceKey))
    expect(othersOf(choices, choices[2]!)).toEqual([])
  })
})

describe("the words of a kind of part", () => {
  it("have their regular plural", () => {
    expect(["drive", "power supply", "riser box", "bay"].map((kind) => nounOf(kind).many)).toEqual([
      "drives",
      "power supplies",
      "riser boxes",
      "bays",
    ])
  })
})
