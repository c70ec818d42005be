import { describe, expect, it } from "vitest"
import type { SpeakerOut } from "@/api/gateway"
import { askedOf, deviceOf, entryOf, PROTOCOLS, standOf, troubleOf, whoMayAsk } from "@/pages/gateway/speakerRows"

const speaker = (changes: Partial<SpeakerOut> = {}): SpeakerOut => ({
  name: "ipmi 127.0.0.1:6230",
  protocol: "ipmi",
  what: "wall",
  sources: ["wall"],
  model: "ipmi.bmc",
  identity: "wattmark gateway to Yokogawa WT310E",
  serial: "C3VG12345",
  simulated: false,
  corrected: false,
  state: "open",
  address: "ipmi://127.0.0.1:6230",
  beyond_loopback: false,
  asks_password: true,
  encrypted: false,
  power_w: 437.2,
  reading_at: "2026-02-01T12:00:00+00:00",
  age_s: 0.4,
  absent: null,
  reason: null,
  reason_remedy: null,
  note: null,
  problem: null,
  remedy: null,
  since: null,
  requests: 0,
  refused: 0,
  askers: [],
  ...changes,
})
const asker = { peer: "10.0.0.7", requests: 1, refused: 0, first: "", last: "", period_s: null }

describe("a speaker of the gateway in words", () => {
  it("is fine only where it is open and shows a power", () => {
    expect(standOf(speaker())).toEqual({ tone: "ok", word: "Open" })
    const absent = ["waiting", "stale", "lost", "over-range", "not-accepted"] as const
    const without = absent.map((why) => standOf(speaker({ absent: why, power_w: null })))
    expect(without.map(({ tone }) => tone)).not.toContain("ok")
    expect(new Set(without.map(({ word }) => word)).size).toBe(absent.length)
    expect(standOf(speaker({ state: "failed", absent: "stale" })).word).toBe("Not open")
    expect(standOf(speaker({ state: "waiting" })).tone).toBe("idle")
  })

  it("says why it cannot be asked before why it shows nothing, each with what to do", () => {
    expect(troubleOf(speaker())).toBeNull()
    const shows = {
      absent: "over-range",
      reason: "wall is over its range.",
      reason_remedy: "Choose a higher range.",
    } as const
    expect(troubleOf(speaker(shows))).toBe("wall is over its range. Choose a higher range.")
    const since = "2026-02-01T12:00:00+00:00"
    const failed = speaker({
      ...shows,
      state: "failed",
      problem: "Port 6230 is in use.",
      remedy: "Choose another.",
      since,
    })
    expect(troubleOf(failed)).toMatch(/^Port 6230 is in use\. Choose another\. Since .+\.$/)
  })

  it("says who may ask, and that an open port without a password is one", () => {
    expect(whoMayAsk(speaker())).toBe("programs on this machine, with the password")
    const open = { protocol: "modbus-tcp", beyond_loopback: true, asks_password: false } as const
    expect(whoMayAsk(speaker(open))).toBe("other machines too, without a password")
    expect(whoMayAsk(speaker({ protocol: "mqtt", encrypted: true }))).toBe("whoever may read at the broker, encrypted")
  })

  it("counts who asked", () => {
    expect(askedOf(speaker())).toBe("Nobody has asked yet.")
    expect(askedOf(speaker({ requests: 1, askers: [asker] }))).toBe("1 request by 1 client.")
    const busy = speaker({ requests: 12345, refused: 2, askers: [asker, { ...asker, peer: "10.0.0.8" }] })
    expect(askedOf(busy)).toMatch(/^12\D?345 requests by 2 clients\. 2 refused\.$/)
    expect(askedOf(speaker({ refused: 3, askers: [asker] }))).toMatch(/3 refused\.$/)
  })

  it("names the device behind it, as far as it is known", () => {
    expect(deviceOf(speaker())).toBe("wattmark gateway to Yokogawa WT310E, serial number C3VG12345, speaks as ipmi.bmc")
    expect(deviceOf(speaker({ identity: null, serial: null }))).toBe("speaks as ipmi.bmc")
  })

  it("writes an entry for every protocol", () => {
    expect(entryOf("modbus-tcp", "wall")).toBe("speak:\n  - {as: modbus-tcp, what: wall, port: 5020}")
    expect(new Set(PROTOCOLS.map((protocol) => entryOf(protocol, "wall"))).size).toBe(7)
    const mqtt = 'url: "mqtt://broker.lab:1883/rack1", period_s: 10'
    expect(entryOf("mqtt", "wall")).toBe(`speak:\n  - {as: mqtt, what: wall, ${mqtt}}`)
  })

  it("writes a port that no speaker has", () => {
    const names = ["modbus-tcp 127.0.0.1:5020", "scpi 0.0.0.0:5021", "mqtt mqtt://broker.lab:1883/rack1"]
    expect(entryOf("modbus-tcp", "wall", names)).toContain("port: 5022}")
  })
})
