import { describe, expect, it } from "vitest"
import { indexAt, lanes, type SeriesOut, type Traces } from "@/charts/traces/lanes"
import { laneData } from "@/charts/traces/plot"

function series(id: number, quantity: string, unit: string, over: Partial<SeriesOut> = {}): SeriesOut {
  return {
    id,
    source: `meter${id}`,
    channel: `c${id}`,
    label: `Series ${id}`,
    quantity,
    unit,
    kind: "averaged",
    range: "",
    simulated: false,
    total: true,
    total_samples: 3,
    decimated: false,
    samples_per_bucket: 1,
    t_s: [0, 1, 2],
    minimum: [1, 2, 3],
    maximum: [1, 2, 3],
    mean: [1, 2, 3],
    ...over,
  }
}

const traces = (all: SeriesOut[], throughput: Traces["throughput"] = []): Traces => ({
  run_id: "r",
  begin_s: 0,
  end_s: 2,
  series: all,
  throughput,
  throughput_unit: "signs/s",
  excluded: [],
  limits: [],
})

describe("lanes of a run", () => {
  it("puts power first, throughput second, load third, whatever the order of the series", () => {
    const made = lanes(
      traces(
        [
          series(1, "fan_speed", "RPM"),
          series(2, "temperature", "°C"),
          series(3, "utilisation", "%"),
          series(4, "power", "W"),
        ],
        [{ begin_s: 0, end_s: 1, rate: 5 }],
      ),
    )
    expect(made.map((lane) => lane.id)).toEqual(["power", "throughput", "load", "temperature", "fan_speed"])
  })

  it("gives each device one line of power, wall meters first and solid, and keeps phases apart", () => {
    const made = lanes(
      traces([
        series(1, "power", "W", { source: "bmc", channel: "psu1_input_power", total: false }),
        series(2, "power", "W", { source: "bmc", channel: "power" }),
        series(3, "power", "W", { source: "pdu", channel: "power_l1", total: false }),
        series(4, "power", "W", { source: "pdu", channel: "power" }),
        series(5, "power", "W", { source: "outlet", channel: "p" }),
      ]),
      new Map([
        ["bmc", "bmc"],
        ["pdu", "secondary"],
        ["outlet", "wall"],
      ]),
    )
    expect(made.map((lane) => [lane.id, lane.series.map((series) => series.id)])).toEqual([
      ["power", ["5", "4", "2"]],
      ["power_parts", ["3", "1"]],
    ])
    expect(made[0]!.series[0]!.dash).toEqual([])
  })

  it("tells series of one unit apart by their dash, not by colour alone", () => {
    const [power] = lanes(traces([series(1, "power", "W"), series(2, "power", "W"), series(3, "power", "W")]))
    const dashes = power!.series.map((series) => series.dash.join())
    expect(new Set(dashes).size).toBe(3)
    expect(dashes[0]).toBe("")
  })

  it("breaks the throughput where intervals do not touch and holds it where they do", () => {
    const [lane] = lanes(
      traces(
        [],
        [
          { begin_s: 0, end_s: 5, rate: 10 },
          { begin_s: 5, end_s: 10, rate: 11 },
          { begin_s: 12, end_s: 14, rate: 12 },
        ],
      ),
    )
    const { t, mean } = lane!.series[0]!
    expect(mean).toEqual([10, 11, 11, null, 12, 12, null])
    expect(t.slice(0, 3)).toEqual([0, 5, 10])
  })

  it("joins series of different stamps without drawing gaps that are none", () => {
    const [lane] = lanes(
      traces([
        series(1, "power", "W"),
        series(2, "power", "W", { t_s: [0.5, 2], mean: [7, null], minimum: [7, null], maximum: [7, null] }),
      ]),
    )
    const [x, first, second] = laneData(lane!)
    expect(x).toEqual([0, 0.5, 1, 2])
    expect(first).toEqual([1, undefined, 2, 3])
    expect(second).toEqual([undefined, 7, undefined, null])
  })

  it("draws minimum and maximum of decimated series", () => {
    const [lane] = lanes(
      traces([
        series(1, "power", "W", { decimated: true, samples_per_bucket: 50, minimum: [0, 1, 2], maximum: [9, 9, 9] }),
      ]),
    )
    expect(laneData(lane!)).toEqual([
      [0, 1, 2],
      [1, 2, 3],
      [9, 9, 9],
      [0, 1, 2],
    ])
  })
})

describe("the cursor's value", () => {
  const [lane] = lanes(traces([series(1, "power", "W", { kind: "instantaneous", t_s: [0, 8, 16] })]))
  const [steps] = lanes(traces([], [{ begin_s: 0, end_s: 5, rate: 10 }]))

  it("is the nearest sample, and for steps the one that holds", () => {
    expect(indexAt(lane!.series[0]!, 11.9)).toBe(1)
    expect(indexAt(lane!.series[0]!, 12.1)).toBe(2)
    expect(indexAt(lane!.series[0]!, 99)).toBe(2)
    expect(indexAt(steps!.series[0]!, 4.9)).toBe(0)
  })

  it("is nothing before the first sample", () => {
    expect(indexAt(lane!.series[0]!, -1)).toBeNull()
  })
})
