import { describe, expect, it } from "vitest"
import { intervalRows } from "@/charts/compare/intervalRows"
import { points } from "@/charts/compare/points"
import { MOST_COLOURED, shownIdentities } from "@/charts/compare/shownIdentity"
import { identities } from "@/charts/identity"
import { compare, group } from "./comparison"

const data = compare([
  group("a", 30, { server: "s" }),
  group("b", 25, { server: "t" }),
  group("c", 20, { server: "s" }),
])

describe("rows of an interval figure", () => {
  it("follow one another", () => {
    const { rows, heads, height } = intervalRows(points(data, "efficiency"), null, 20, 12)
    expect(rows.map((row) => row.top)).toEqual([12, 32, 52])
    expect([heads, height]).toEqual([[], 60])
  })

  it("stand under their groups, in the order of the best of each", () => {
    const { rows, heads } = intervalRows(points(data, "efficiency"), (of) => of.server, 20, 0)
    expect(rows.map((row) => row.point.group.key)).toEqual(["a", "c", "b"])
    expect(heads).toEqual([
      { name: "s", top: 0 },
      { name: "t", top: 68 },
    ])
  })
})

describe("colours of many configurations", () => {
  const many = Array.from({ length: MOST_COLOURED + 1 }, (_, i) => group(`k${i}`, 20 + i))
  const known = identities(
    many.map((each) => each.key),
    [],
  )

  it("belong to those that are pinned; the others are the background", () => {
    const shown = shownIdentities(many, known, new Set(["k3"]))
    expect(shown.get("k3")).toEqual(known.get("k3"))
    expect(new Set([...shown].filter(([key]) => key !== "k3").map(([, identity]) => identity.colour)).size).toBe(1)
  })

  it("are those of all pages while there are few", () => {
    const shown = shownIdentities(many.slice(0, MOST_COLOURED), known, new Set())
    expect(shown.get("k5")).toEqual(known.get("k5"))
  })
})
