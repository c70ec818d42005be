import { describe, expect, it } from "vitest"
import type { ChannelHead, Latest } from "@/live"
import { wallMeters, wallNow } from "@/live/wall"

const head = (source: string, over: Partial<ChannelHead> = {}): ChannelHead =>
  ({
    key: `${source}/${over.channel ?? "power"}`,
    source,
    channel: "power",
    quantity: "power",
    unit: "W",
    role: "wall",
    server: "a",
    shared: [],
    total: true,
    simulated: false,
    ...over,
  }) as ChannelHead
const phase = (source: string, n: number, over: Partial<ChannelHead> = {}) =>
  head(source, { channel: `power_l${n}`, total: false, ...over })
const phases = (source: string, over: Partial<ChannelHead> = {}) => [1, 2, 3].map((n) => phase(source, n, over))
const register = (source: string) => head(source, { channel: "energy_import", quantity: "energy", unit: "Wh" })

const WATTS: Record<string, number> = { "em24/power": 378.6, "em24/power_l1": 378.6, "b/power": 100, "pdu/power": 450 }
const reading = (value: number | null, state: Latest["state"] = "ok", ageS = 0.5): Latest => ({
  value,
  ageS: state === "waiting" ? null : ageS,
  state,
  problem: null,
})
const read = (key: string): Latest => reading(WATTS[key] ?? 0)
const now = (heads: ChannelHead[], server?: string, reads = read) => wallNow(wallMeters(heads, server), reads)

describe("watts at the wall now, of the bench and of a server", () => {
  it.each([undefined, "a"])("count a three-phase meter by its total alone (%s)", (server) => {
    const heads = [...phases("em24"), head("em24"), register("em24")]
    expect(now(heads, server)).toMatchObject({
      value: 378.6,
      fresh: true,
      missing: [],
      explanation: "em24 378.6\u00a0W",
    })
  })

  it.each([undefined, "a"])("show none of a meter that has phases without a total, and say why (%s)", (server) => {
    const shown = now(phases("em24"), server)
    expect(shown).toMatchObject({ value: null, fresh: false, parts: [] })
    expect(shown.missing).toEqual([{ source: "em24", reason: "shows parts of the power, not the total" }])
  })

  it("show none of a meter that only counts energy", () => {
    expect(now([register("kwh")]).missing).toEqual([{ source: "kwh", reason: "counts energy, shows no power" }])
    expect(now([register("kwh"), head("b")], "a")).toMatchObject({ value: 100, missing: [{ source: "kwh" }] })
  })

  it("add the two supplies of a server", () => {
    expect(now([head("em24"), head("b")], "a")).toMatchObject({
      value: 478.6,
      parts: [
        { source: "em24", value: 378.6 },
        { source: "b", value: 100 },
      ],
    })
  })

  it("count a meter of two servers once, and for neither of them", () => {
    const heads = [head("pdu", { server: null, shared: ["a", "b"] }), head("b")]
    expect(now(heads).value).toBe(550)
    expect(now(heads, "a")).toMatchObject({ value: 100, missing: [{ source: "pdu", reason: "measures b as well" }] })
    expect(now(heads, "b").value).toBeNull()
  })

  it("never add secondary meters, BMCs or hosts", () => {
    const inside = (["secondary", "bmc", "host"] as const).map((role) => head(`of ${role}`, { role }))
    expect(now([head("b"), ...inside]).value).toBe(100)
    expect(now([head("b"), ...inside], "a").value).toBe(100)
    expect(wallMeters(inside)).toEqual([])
  })

  it("add the outlets of a PDU, and not its inlet, which measures them once more", () => {
    const outlets = [head("em24"), head("b", { server: "b" })]
    expect(now([head("pdu", { server: null }), ...outlets]).value).toBe(478.6)
    expect(now([head("pdu", { server: null })]).value).toBe(450)
  })

  it("leave out a meter that does not read now and say so, and show the last sum as old when none does", () => {
    const lost = (key: string) => (key === "b/power" ? reading(100, "lost", 50) : read(key))
    const one = now([head("em24"), head("b")], "a", lost)
    expect(one).toMatchObject({ value: 378.6, fresh: true, ageS: 0.5 })
    expect(one.missing).toEqual([{ source: "b", reason: "last reading 50\u00a0s ago" }])
    expect(now([head("b")], "a", lost)).toMatchObject({ value: 100, fresh: false, ageS: 50, missing: [] })
  })

  it("know nothing of a meter that was not read yet, or has a bad reading", () => {
    const none = (key: string) => (key === "b/power" ? reading(null) : reading(null, "waiting"))
    const shown = now([head("em24"), head("b")], "a", none)
    expect(shown).toMatchObject({ value: null, ageS: null })
    expect(shown.missing.map(({ reason }) => reason)).toEqual(["waiting", "no good reading"])
  })

  it("are simulated where a part is", () => {
    expect(now([head("b"), head("em24", { simulated: true })]).simulated).toBe(true)
    expect(now([head("b"), head("em24", { role: "bmc", simulated: true })]).simulated).toBe(false)
  })
})
