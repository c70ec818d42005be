import { describe, expect, it } from "vitest"
import {
  configurationEntry,
  duplicateOf,
  fittedByHand,
  newServer,
  reachedBy,
  serverEntry,
  withSlots,
} from "@/pages/servers/drafts"
import { isFed, withFeed } from "@/inventory/feeding"

const server = newServer()
const bare = server.configurations[0]!

describe("a server that is typed", () => {
  it("gets identifiers from its titles, away from those that are taken", () => {
    const typed = { ...server, title: "Dell 2950", configurations: [{ ...bare, title: "4 DIMMs" }] }
    const sent = serverEntry(typed, ["dell-2950"])
    expect([sent.id, sent.configurations[0]!.id]).toEqual(["dell-2950-2", "4-dimms"])
  })

  it("sends no part that holds nothing", () => {
    const sent = configurationEntry({ ...bare, price: {}, memory: {}, psus: [] } as unknown as typeof bare, [])
    expect(Object.keys(sent).sort()).toEqual(["cpu", "id", "os"])
  })

  it("is reached in one way, and keeps what the form does not show", () => {
    expect(reachedBy(server, "ssh").access).toEqual({ ssh: {} })
    expect(reachedBy(reachedBy(server, "ssh"), "local").access).toEqual({ local: true })
    expect(fittedByHand(server, true).prepare).toBe("manual")
    expect("prepare" in fittedByHand(fittedByHand(server, true), false)).toBe(false)
  })

  it("duplicates a configuration under a free name, with all of its parts", () => {
    const original = { ...withSlots(bare, { A1: { type: "FB-DIMM", capacity_gib: 1 } }), id: "fbd4", title: "Four" }
    const copy = duplicateOf(original, ["fbd4"])
    expect([copy.id, copy.memory]).toEqual(["fbd4-2", original.memory])
    expect(copy.title).not.toBe(original.title)
  })
})

describe("feeds that are ticked", () => {
  it("name the whole server or single supplies, never both", () => {
    const whole = withFeed([], "sut", null, true)
    expect(whole).toEqual([{ server: "sut" }])
    const singleSupply = withFeed(whole, "sut", "psu1", true)
    expect(singleSupply).toEqual([{ server: "sut", psus: ["psu1"] }])
    expect(isFed(singleSupply, "sut", null)).toBe(false)
    expect(isFed(singleSupply, "sut", "psu1")).toBe(true)
    expect(withFeed(singleSupply, "sut", "psu1", false)).toEqual([])
  })

  it("leave other servers alone", () => {
    expect(withFeed([{ server: "other" }], "sut", null, true)).toEqual([{ server: "other" }, { server: "sut" }])
    expect(withFeed([{ server: "other" }, { server: "sut" }], "sut", null, false)).toEqual([{ server: "other" }])
  })
})
