import { describe, expect, it } from "vitest"
import { identities, identityAt } from "@/charts/identity"

describe("markers of configurations", () => {
  it("stay with their configuration, whatever else a page shows", () => {
    const bench = ["s/2", "s/4", "s/8"]
    const compare = identities(bench, ["published:x", "s/8", "s/2"])
    const memory = identities(bench, ["s/8"])
    expect(compare.get("s/8")).toEqual(memory.get("s/8"))
    expect(compare.get("published:x")).toEqual(identityAt(3))
  })

  it("do not depend on the order in which others appear", () => {
    const first = identities(["s/2"], ["b", "a"])
    const other = identities(["s/2"], ["a", "b", "b"])
    expect(first.get("b")).toEqual(other.get("b"))
  })

  it("differ in shape and colour up to eight and as pairs beyond", () => {
    const all = Array.from({ length: 56 }, (_, i) => identityAt(i))
    expect(new Set(all.slice(0, 8).map((identity) => identity.shape)).size).toBe(8)
    expect(new Set(all.slice(0, 8).map((identity) => identity.colour)).size).toBe(8)
    expect(new Set(all.map((identity) => identity.shape + identity.colour)).size).toBe(56)
  })
})
