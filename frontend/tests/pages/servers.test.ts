import { describe, expect, it } from "vitest"
import type { Schemas } from "@/api/client"
import {
  configurationEntry,
  duplicateOf,
  fittedByHand,
  machineOrder,
  newServer,
  reachedBy,
  serverEntry,
  withMachine,
  withOwnKey,
  withSlots,
} from "@/pages/servers/drafts"
import { isFed, tickable, withFeed } from "@/inventory/feeding"

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
    expect("sudo_dmidecode" in reachedBy({ ...server, sudo_dmidecode: true }, "local")).toBe(false)
    expect(reachedBy({ ...server, sudo_dmidecode: true }, "ssh").sudo_dmidecode).toBe(true)
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

describe("a server that its machine describes", () => {
  const machine = {
    host: "woodcrest",
    configuration: {
      cpu: { model: "Xeon 5160", sockets: 2, cores: 4 },
      os: { name: "Debian 12", kernel: "6.1" },
      memory: { slots: { A1: { type: "FB-DIMM", capacity_gib: 1 }, B1: null } },
    },
    notes: [],
  } as unknown as Schemas["Machine"]

  it("is filled in, and keeps what was typed", () => {
    const typed = { ...server, configurations: [{ ...bare, cpu: { ...bare.cpu, model: "Woodcrest" } }] }
    const filled = withMachine(typed, machine)
    const [configuration] = filled.configurations
    expect(filled.title).toBe("woodcrest")
    expect(configuration!.cpu).toEqual({ model: "Woodcrest", sockets: 2, cores: 4 })
    expect(configuration!.os).toEqual({ name: "Debian 12", kernel: "6.1" })
    expect(Object.keys(configuration!.memory!.slots)).toEqual(["A1", "B1"])
    expect(configuration!.psus).toEqual(bare.psus)
  })

  it("keeps slots that were drawn", () => {
    const drawn = withSlots(bare, { X1: { type: "RDIMM", capacity_gib: 16 } })
    const filled = withMachine({ ...server, configurations: [drawn] }, machine)
    expect(Object.keys(filled.configurations[0]!.memory!.slots)).toEqual(["X1"])
  })

  it("is asked here, or over SSH once its address is typed", () => {
    expect(machineOrder(server)).toEqual({})
    const away = reachedBy(server, "ssh")
    expect(machineOrder(away)).toBeNull()
    const typed = { ...away, access: { ssh: { host: "a", user: "b" } } } as unknown as typeof away
    expect(machineOrder(typed)).toEqual({ ssh: { host: "a", user: "b" } })
    expect(machineOrder({ ...typed, sudo_dmidecode: true })).toEqual({
      ssh: { host: "a", user: "b", sudo_dmidecode: true },
    })
  })

  it("is logged in to with the appliance's own key once its host key was accepted", () => {
    const away = { ...reachedBy(server, "ssh"), access: { ssh: { host: "a", user: "b" } } } as unknown as typeof server
    const accepted = withOwnKey(away, { identity_file: "ssh/id_ed25519", known_hosts: "ssh/known_hosts" })
    expect(serverEntry(accepted, []).access).toEqual({
      ssh: { host: "a", user: "b", identity_file: "ssh/id_ed25519", known_hosts: "ssh/known_hosts" },
    })
    expect(machineOrder(accepted)).toEqual({ ssh: { host: "a", user: "b", own_key: true } })
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

  it("offer a server of several supplies as a whole only to a meter that says so already", () => {
    const two = { ...server, id: "sut", configurations: [{ ...bare, psus: [{ id: "psu1" }, { id: "psu2" }] }] }
    const of = (entry: object, feeds: { server: string; psus?: string[] }[]): (string | null)[] =>
      tickable(entry as Parameters<typeof tickable>[0], feeds)
    expect(of(two, [])).toEqual(["psu1", "psu2"])
    expect(of(two, [{ server: "sut" }])).toEqual([null, "psu1", "psu2"])
    expect(of({ ...two, configurations: [{ ...bare, psus: [] }] }, [])).toEqual([null])
  })

  it("leave other servers alone", () => {
    expect(withFeed([{ server: "other" }], "sut", null, true)).toEqual([{ server: "other" }, { server: "sut" }])
    expect(withFeed([{ server: "other" }, { server: "sut" }], "sut", null, false)).toEqual([{ server: "other" }])
  })
})
