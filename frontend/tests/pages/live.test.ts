import { describe, expect, it } from "vitest"
import type { ChannelHead } from "@/live"
import { alarms, type Now } from "@/pages/live/alarms"
import { isHost, liveGroups } from "@/pages/live/liveGroups"
import { stateTone } from "@/pages/live/stateTone"
import { liveWords } from "@/strings/live"

const head = (source: string, channel: string, over: Partial<ChannelHead> = {}): ChannelHead => ({
  key: `${source}/${channel}`,
  source,
  channel,
  label: channel,
  quantity: channel,
  unit: "W",
  kind: "averaged",
  role: "wall",
  server: "sut",
  shared: [],
  total: channel === "power",
  simulated: false,
  period_s: 1,
  range: null,
  ...over,
})

describe("live channels by server", () => {
  it("gives each source one tile, wall beside BMC, and lists the rest", () => {
    const [group] = liveGroups(
      [
        head("bmc", "temperature", { role: "bmc" }),
        head("bmc", "power", { role: "bmc" }),
        head("wall", "voltage"),
        head("wall", "power"),
        head("host", "utilisation", { role: "host" }),
      ],
      ["sut"],
    )
    expect(group!.tiles.map((tile) => tile.key)).toEqual(["wall/power", "bmc/power", "host/utilisation"])
    expect(group!.sensors.map((sensor) => [sensor.source, sensor.channels.map((c) => c.channel)])).toEqual([
      ["bmc", ["temperature"]],
      ["wall", ["voltage"]],
    ])
  })

  it("shows the operating system of a server reached over SSH under that server", () => {
    const [group, ...others] = liveGroups(
      [
        head("wall", "power"),
        head("host.sut", "utilisation", { role: "host", quantity: "utilisation" }),
        head("host.sut", "memory", { role: "host" }),
      ],
      ["sut"],
    )
    expect(others).toEqual([])
    expect([group!.server, group!.host]).toEqual(["sut", false])
    expect(group!.tiles.map((tile) => tile.key)).toEqual(["wall/power", "host.sut/utilisation"])
    expect(group!.sensors.map((sensor) => sensor.source)).toEqual(["host.sut"])
    expect(["host", "host.sut", "hostess", "wall"].map(isHost)).toEqual([true, true, false, false])
  })

  it("keeps the order of the bench, then the host, then meters that nobody claims", () => {
    const heads = [
      head("x", "power", { server: null }),
      head("host", "utilisation", { server: null, role: "host" }),
      head("b", "power", { server: "second" }),
      head("a", "power", { server: "first" }),
    ]
    expect(liveGroups(heads, ["first", "second"]).map((group) => [group.server, group.host])).toEqual([
      ["first", false],
      ["second", false],
      [null, true],
      [null, false],
    ])
  })
})

describe("meters that are not in order", () => {
  const heads = [head("wall", "power"), head("wall", "voltage"), head("bmc", "power", { role: "bmc" })]
  const inOrder: Now = { state: "ok", ageS: 0.2, problem: null }
  const problem = "61 readings in a row are 612.5 W, since 12:00:00 UTC."

  it("names the channels that repeat a reading, and says which one", () => {
    const now = (key: string): Now => (key === "wall/power" ? { ...inOrder, state: "frozen", problem } : inOrder)
    const [alarm, ...others] = alarms("live", null, heads, now)
    expect(others).toEqual([])
    expect(alarm).toEqual({ kind: "frozen", source: "wall", channels: ["power"], problem })
    expect(liveWords.alarm.frozen("Wall", ["power"], problem)).toBe(`Wall repeats the same reading: power. ${problem}`)
  })

  it("shows the state of a tile by a word and a tone of its own", () => {
    expect([liveWords.state.frozen, stateTone("frozen")]).toEqual(["Frozen", "warn"])
  })
})
