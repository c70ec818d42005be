import { describe, expect, it } from "vitest"
import { lanes, visibleLanes, indexAt, type SeriesOut, type Traces } from "@/charts/traces/lanes"
import { levels } from "@/charts/traces/steps"
import { tracesSvg } from "@/charts/traces/svg"

const series = (over: Partial<SeriesOut> = {}): SeriesOut => ({
  id: 1,
  source: "wall",
  channel: "power",
  label: "Power",
  quantity: "power",
  unit: "W",
  kind: "averaged",
  range: "",
  simulated: false,
  total: true,
  total_samples: 4,
  decimated: false,
  samples_per_bucket: 1,
  t_s: [1, 2, 3, 4],
  minimum: [10, 20, 30, 40],
  maximum: [10, 20, 30, 40],
  mean: [10, 20, 30, 40],
  ...over,
})
const traces = (...all: SeriesOut[]): Traces => ({
  run_id: "r",
  begin_s: 0,
  end_s: 10,
  series: all,
  throughput: [],
  throughput_unit: "signs/s",
  excluded: [],
  limits: [],
})
const values = (mean: number[], t_s: number[]): Partial<SeriesOut> => ({ t_s, mean, minimum: mean, maximum: mean })

describe("averaged readings", () => {
  it("are levels over the time before their stamps, the first over one period", () => {
    expect(levels([1, 2, 3], [10, 20, 30], 1)).toEqual([
      { begin: 0, end: 1, value: 10, joined: false },
      { begin: 1, end: 2, value: 20, joined: true },
      { begin: 2, end: 3, value: 30, joined: true },
    ])
  })

  it("never reach over a gap, and skip the stamps of other series", () => {
    expect(levels([1, 1.5, 3, 5, 5.2, 6], [10, undefined, null, 20, undefined, 30], 1)).toEqual([
      { begin: 0, end: 1, value: 10, joined: false },
      { begin: 4, end: 5, value: 20, joined: false },
      { begin: 5, end: 6, value: 30, joined: true },
    ])
    expect(levels([1, 4.7, 5], [10, null, 20], 1)[1]!.begin).toBe(4.7)
  })

  it("break where readings are missing, with nothing in between", () => {
    const [power] = lanes(traces(series(values([10, 20, 30, 40], [1, 2, 8, 9]))))
    expect(power!.series[0]!.t).toEqual([1, 2, 5, 8, 9])
    expect(power!.series[0]!.mean).toEqual([10, 20, null, 30, 40])
    const line = /<path d="([^"]+)" fill="none" stroke="var\(--q-power\)" stroke-width="1.5"/.exec(
      tracesSvg([power!], { begin: 0, end: 10 }, { phases: [], window: null, excluded: [] }, ""),
    )
    expect(line![1]!.match(/M/g)).toHaveLength(2)
  })

  it("leave as one shape for each stretch where many are drawn as one point", () => {
    const [power] = lanes(
      traces(series({ ...values([10, 20, 30, 40], [1, 2, 8, 9]), decimated: true, samples_per_bucket: 9 })),
    )
    expect(power!.series[0]!.step).toBeNull()
    const band = /<path d="([^"]+)" fill="var\(--q-power\)"/.exec(
      tracesSvg([power!], { begin: 0, end: 10 }, { phases: [], window: null, excluded: [] }, ""),
    )
    expect(band![1]!.match(/M/g)).toHaveLength(2)
  })

  it("show at the cursor the mean that holds there", () => {
    const line = lanes(traces(series()))[0]!.series[0]!
    expect(indexAt(line, 2)).toBe(1)
    expect(indexAt(line, 2.1)).toBe(2)
    expect(indexAt(line, 99)).toBe(3)
  })
})

describe("lanes", () => {
  it("draw the wall meter strongest, and nothing quieter where there is none", () => {
    const [wall, bmc] = [series(), series({ id: 2, source: "bmc" })]
    const roles = new Map([
      ["wall", "wall"],
      ["bmc", "bmc"],
    ])
    expect(lanes(traces(bmc, wall), roles)[0]!.series.map((line) => [line.key, line.quiet])).toEqual([
      ["wall/power", false],
      ["bmc/power", true],
    ])
    expect(lanes(traces(bmc), roles)[0]!.series[0]!.quiet).toBe(false)
  })

  it("keep utilisation and temperature on axes of their own", () => {
    const made = lanes(
      traces(
        series({ source: "bmc", channel: "cpu", quantity: "temperature", unit: "°C" }),
        series({ id: 2, source: "host", channel: "cpu", quantity: "utilisation", unit: "%" }),
      ),
    )
    expect(made.map((lane) => [lane.id, lane.units])).toEqual([
      ["load", ["%"]],
      ["temperature", ["°C"]],
    ])
  })

  it("lose the series that are switched off, and go when none is left", () => {
    const all = lanes(traces(series(), series({ id: 2, source: "bmc" })))
    expect(visibleLanes(all, new Set(["bmc/power"]))[0]!.series.map((line) => line.key)).toEqual(["wall/power"])
    expect(visibleLanes(all, new Set(["bmc/power", "wall/power"]))).toEqual([])
  })
})
