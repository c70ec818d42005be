import { describe, expect, it } from "vitest"
import { lanes } from "@/charts/traces/lanes"
import { runningTraces, watched } from "@/charts/traces/running"
import type { ChannelHead } from "@/live"

const head = (source: string, channel: string, more: Partial<ChannelHead> = {}): ChannelHead =>
  ({
    key: `${source}/${channel}`,
    source,
    channel,
    label: channel,
    quantity: "power",
    unit: "W",
    kind: "averaged",
    role: "wall",
    server: "a",
    period_s: 1,
    simulated: false,
    shared: [],
    total: channel === "power",
    ...more,
  }) as ChannelHead

const heads = [
  head("bmc", "psu1", { role: "bmc" }),
  head("bmc", "power", { role: "bmc" }),
  head("wall", "power"),
  head("wall", "voltage", { quantity: "voltage" }),
  head("other", "power", { server: "b" }),
  head("host.a", "cpu_utilisation", { role: "host", quantity: "utilisation" }),
]

describe("watched", () => {
  it("is the total power of each meter of the server", () => {
    expect(watched(heads, "a").map((channel) => channel.key)).toEqual(["bmc/power", "wall/power"])
  })
})

describe("runningTraces", () => {
  const samples = () => ({ t: Float64Array.of(10, 11, 12), value: Float64Array.of(100, Number.NaN, 102) })
  const throughput = { run_id: "r", unit: "ops/s", rates: [{ begin_s: 10, end_s: 12, rate: 7 }] }
  const own = watched(heads, "a")
  const drawn = lanes(
    runningTraces(own, samples, () => null, throughput, { begin: 10, end: 12 }),
    new Map(own.map((channel) => [channel.source, channel.role])),
  )

  it("puts the wall meter first and everything else quieter", () => {
    expect(drawn.map((lane) => lane.id)).toEqual(["power", "throughput"])
    expect(drawn[0]!.series.map(({ key, quiet }) => [key, quiet])).toEqual([
      ["wall/power", false],
      ["bmc/power", true],
    ])
  })

  it("leaves gaps open and draws what was reported", () => {
    expect(drawn[0]!.series[0]!.mean).toEqual([100, null, 102])
    expect(drawn[1]!.series[0]!.mean).toEqual([7, 7, null])
  })
})
