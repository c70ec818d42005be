import { describe, expect, it } from "vitest"
import { sweepCurves, sweepUnit, type Sweep } from "@/charts/scaling/sweepCurves"

const interval = (value: number, complete = true) => ({ value, low: value - 1, high: value + 1, u: 0.5, complete })
const level = (count: number, rate: number) => ({
  count,
  level: `${count} clients`,
  n: 3,
  throughput: interval(rate),
  power_w: interval(200, false),
  efficiency: count === 1 ? null : interval(rate / 200),
  response_s: count === 1 ? 0.004 : null,
})
const sweep = (key: string, levels: object[]): Sweep =>
  ({
    scaling: { key, title: key, simulated: true, levels, throughput_unit: "queries/s", efficiency_unit: "queries/J" },
    throughput: { peak: 4, peak_at_edge: false, knee: 2, saturation: 4 },
    efficiency: { peak: 4, peak_at_edge: false, knee: null, saturation: 4 },
  }) as unknown as Sweep

describe("curves over the load levels", () => {
  const sweeps = [sweep("a", [level(1, 100), level(2, 180), level(4, 260)]), sweep("b", [level(1, 90)])]

  it("need two levels, and carry peak and knee where they stand", () => {
    const [curve, ...none] = sweepCurves(sweeps, "throughput")
    expect(none).toEqual([])
    expect(curve!.points.map((point) => [point.level, point.value])).toEqual([[1, 100], [2, 180], [4, 260]]) // prettier-ignore
    expect([curve!.peak!.value, curve!.knee!.value]).toEqual([260, 180])
  })

  it("draw no bar where no instrument is known, and no peak of watts", () => {
    const [curve] = sweepCurves(sweeps, "power")
    expect(curve!.points[0]!.interval).toBeNull()
    expect([curve!.peak, curve!.knee]).toEqual([null, null])
  })

  it("exclude levels without the figure", () => {
    expect(sweepCurves(sweeps, "efficiency")[0]!.points.map((point) => point.level)).toEqual([2, 4])
    expect(sweepCurves(sweeps, "response")).toEqual([])
    expect(sweepUnit(sweeps, "efficiency")).toBe("queries/J")
  })
})
