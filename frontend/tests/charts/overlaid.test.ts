import { describe, expect, it } from "vitest"
import { elapsed, overlaidLanes, type OverlaidRun } from "@/charts/traces/overlaid"
import type { SeriesOut } from "@/charts/traces/lanes"

const series = (id: number, source: string, t_s: number[], mean: number[]): SeriesOut => ({
  id,
  source,
  channel: "power",
  label: "Power",
  quantity: "power",
  unit: "W",
  kind: "averaged",
  range: "",
  simulated: false,
  total: true,
  total_samples: t_s.length,
  decimated: false,
  samples_per_bucket: 1,
  t_s,
  mean,
  minimum: mean,
  maximum: mean,
})

function run(
  id: string,
  origin: number,
  all: SeriesOut[],
  roles: [string, string][] = [["wall", "wall"]],
): OverlaidRun {
  const traces = {
    run_id: id,
    begin_s: 0,
    end_s: 9,
    series: all,
    throughput: [],
    throughput_unit: "o/s",
    excluded: [],
    limits: [],
  }
  return { id, name: `Run ${id}`, origin, roles: new Map(roles), traces }
}

describe("runs laid over one another", () => {
  it("are aligned at the begin of their windows, with the difference to the first", () => {
    const made = overlaidLanes([
      run("a", 100, [series(1, "wall", [100, 101, 102], [200, 201, 202])]),
      run("b", 500, [series(2, "wall", [500, 501, 502], [210, 212, 214])]),
    ])
    expect(made.map((lane) => [lane.id, lane.series.map((line) => line.key)])).toEqual([
      ["power", ["a", "b"]],
      ["difference", ["b"]],
    ])
    expect(made[0]!.series.map((line) => line.t)).toEqual([
      [0, 1, 2],
      [0, 1, 2],
    ])
    expect(made[1]!.series[0]!.mean).toEqual([10, 11, 12])
    expect(made[0]!.series.map((line) => [line.token, line.quiet])).toEqual([
      ["--c-1", false],
      ["--c-2", true],
    ])
  })

  it("have no difference where one of them has no reading", () => {
    const [, difference] = overlaidLanes([
      run("a", 0, [series(1, "wall", [0, 1, 2, 3, 9, 10], [1, 1, 1, 1, 1, 1])]),
      run("b", 0, [series(2, "wall", [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3])]),
    ])
    const { t, mean } = difference!.series[0]!
    expect(mean[t.indexOf(3)]).toBe(2)
    expect(mean[t.indexOf(6)]).toBeNull()
    expect(mean[t.indexOf(9)]).toBe(2)
  })

  it("add up the wall meters of a server, and leave its BMC out", () => {
    const roles: [string, string][] = [
      ["psu1", "wall"],
      ["psu2", "wall"],
      ["bmc", "bmc"],
    ]
    const all = [
      series(1, "bmc", [0, 1], [90, 90]),
      series(2, "psu1", [0, 1], [50, 51]),
      series(3, "psu2", [0, 1], [60, 62]),
    ]
    const [power] = overlaidLanes([run("a", 0, all, roles)])
    expect(power!.series).toHaveLength(1)
    expect(power!.series[0]!.mean).toEqual([110, 113])
  })

  it("say times before the window with a minus", () => {
    expect(elapsed(-2.5, (seconds) => `${seconds} s`)).toBe("−2.5 s")
    expect(elapsed(2.5, (seconds) => `${seconds} s`)).toBe("2.5 s")
  })
})
