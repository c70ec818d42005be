import { describe, expect, it } from "vitest"
import type { Schemas } from "@/api/client"
import { feedLines, supplies } from "@/pages/servers/feeds"

const server = { id: "sut", configurations: [{ psus: ["psu1 450 W", "psu2 450 W"] }] } as Schemas["ServerOut"]

describe("who feeds what", () => {
  it("finds the supply by its name, whatever its rating", () => {
    const meters = [{ id: "rack", feeds: ["sut/psu2", "other/psu1"] }]
    const all = supplies(server, meters)
    expect(all).toEqual(["psu1 450 W", "psu2 450 W"])
    expect(feedLines("sut", meters, all)).toEqual([{ meter: "rack", supply: 1 }])
  })

  it("draws a line to every supply where one meter feeds them all", () => {
    const meters = [{ id: "outlet", feeds: ["sut/all PSUs"] }]
    const all = supplies(server, meters)
    expect(feedLines("sut", meters, all).map((line) => line.supply)).toEqual([0, 1])
  })

  it("shows a supply that no configuration names, and does not mistake psu1 for psu10", () => {
    const meters = [{ id: "m", feeds: ["sut/psu10"] }]
    const all = supplies({ ...server, configurations: [{ psus: ["psu1 450 W"] }] } as Schemas["ServerOut"], meters)
    expect(all).toEqual(["psu1 450 W", "psu10"])
    expect(feedLines("sut", meters, all)).toEqual([{ meter: "m", supply: 1 }])
  })
})
