import { describe, expect, it } from "vitest"
import type { ChannelHead } from "@/live"
import { alarms, type Now } from "@/pages/live/alarms"
import { beyond, goingOn, limitWords } from "@/pages/live/limits"
import { serverFigures } from "@/pages/live/serverFigures"

const head = (source: string, channel: string, over: Partial<ChannelHead> = {}): ChannelHead => ({
  key: `${source}/${channel}`,
  source,
  channel,
  label: channel,
  quantity: "power",
  unit: "W",
  kind: "averaged",
  role: "wall",
  server: "sut",
  simulated: false,
  shared: [],
  total: true,
  period_s: 1,
  range: null,
  ...over,
})

const HEADS = [head("wall", "power"), head("bmc", "power", { role: "bmc" }), head("bmc", "psu1", { role: "bmc" })]
const nowOf =
  (states: Record<string, Partial<Now>>) =>
  (key: string): Now => ({ state: "ok", ageS: 0.2, problem: null, ...states[key] })

describe("alarms of the bench", () => {
  it("is silent while all is in order", () => {
    expect(alarms("live", null, HEADS, nowOf({}))).toEqual([])
  })

  it("names a lost source once, with its reason, and stale channels by their source", () => {
    const states = {
      "wall/power": { state: "lost", ageS: 12, problem: "No answer." },
      "bmc/power": { state: "stale", ageS: 9 },
      "bmc/psu1": { state: "stale", ageS: 8 },
    } as const
    expect(alarms("live", "The disk is full.", HEADS, nowOf(states))).toEqual([
      { kind: "disk", text: "The disk is full." },
      { kind: "lost", source: "wall", problem: "No answer.", ageS: 12 },
      { kind: "stale", source: "bmc", channels: 2, ageS: 8 },
    ])
  })

  it("leaves the hiccup of a fast meter to its tile", () => {
    expect(alarms("live", null, HEADS, nowOf({ "wall/power": { state: "stale", ageS: 0.6 } }))).toEqual([])
  })

  it("says one thing, not every channel, when the service is away", () => {
    const stale = Object.fromEntries(HEADS.map((head) => [head.key, { state: "stale", ageS: 5 } as const]))
    expect(alarms("lost", null, HEADS, nowOf(stale))).toEqual([{ kind: "disconnected", ageS: 5 }])
  })
})

describe("figures of a server side by side", () => {
  it("puts the wall, the BMC's total and its supplies beside each other", () => {
    const figures = serverFigures([...HEADS, head("other", "power", { server: "x" })], "sut")!
    expect(figures.wall.map((head) => head.key)).toEqual(["wall/power"])
    expect(figures.bmc.map((head) => head.key)).toEqual(["bmc/power"])
    expect(figures.supplies.map((supply) => supply.key)).toEqual(["bmc/psu1"])
  })

  it("has nothing to set side by side with one source only", () => {
    expect(serverFigures([head("wall", "power")], "sut")).toBeNull()
  })
})

describe("limits that were crossed", () => {
  const alarm = (over: object = {}) => ({
    ...{ source: "wall", channel: "power", side: "high" as const, limit: 300, unit: "W" },
    ...{ begin_s: 1000, end_s: null, worst: 312.4, simulated: false },
    ...{ number: 1, run_must_keep: false, seen_s: 1000, ended: null, closed_s: null, ending: "" },
    ...over,
  })

  it("mark the channel that is beyond one now, the newest first", () => {
    const low = alarm({ side: "low", limit: 5, begin_s: 900 })
    const alarmsByChannel = goingOn([alarm(), low, alarm({ channel: "voltage", end_s: 1001 })])
    expect([...alarmsByChannel.keys()]).toEqual(["wall/power"])
    expect(beyond(alarmsByChannel.get("wall/power")!)).toMatch(/^above 300\sW$/)
    expect(beyond(low)).toMatch(/^below 5\sW$/)
  })

  it("say how far, since when, and that it is over", () => {
    expect(limitWords(alarm(), "Outlet")).toMatch(/^Outlet, power: above 300\sW since .*, worst value 312.4\sW\.$/)
    expect(limitWords(alarm({ end_s: 1060 }), "Outlet")).toMatch(/was above 300\sW from .* to .*, worst value 312.4\sW/)
  })
})
