import { describe, expect, it } from "vitest"
import { clipped, front, rays, tradePoints } from "@/charts/compare/trade"
import { compare, group, interval } from "./comparison"

const at = (key: string, watts: number, work: number, over = {}) =>
  group(key, work / watts, { power_w: interval(watts, 1), throughput: interval(work, 5), ...over })

describe("throughput against power", () => {
  it("needs both quantities, in the unit of the comparison", () => {
    const data = compare([
      at("a", 200, 4000),
      at("b", 200, 4000, { throughput: null }),
      at("c", 1, 1, { throughput_unit: "MB/s" }),
    ])
    expect(tradePoints(data, data.groups).map((point) => point.group.key)).toEqual(["a"])
  })

  it("has on its front what no other beats in both, published and unranked figures never", () => {
    const data = compare([
      at("little", 100, 1000),
      at("beaten", 150, 900),
      at("more", 200, 3000),
      at("same watts, less", 200, 2000),
      at("most", 300, 3500),
      at("printed", 90, 9000, { kind: "published" }),
      at("open", 80, 9000, { unranked: { efficiency: { value: 112, n: 1, why: "no ±" } } }),
      at("model", 50, 8000, { kind: "simulated" }),
    ])
    const points = tradePoints(data, data.groups)
    expect(front(points, false).map((point) => point.group.key)).toEqual(["little", "more", "most"])
    expect(front(points, true).map((point) => point.group.key)).toEqual(["model"])
  })

  it("draws rays at round efficiencies within the span of the points", () => {
    const data = compare([at("a", 100, 1000), at("b", 100, 3000)])
    expect(rays(tradePoints(data, data.groups))).toEqual([10, 15, 20, 25, 30])
    const alone = compare([at("a", 100, 1234)])
    expect(rays(tradePoints(alone, alone.groups))).toEqual([12.34])
  })

  it("cuts a ray to the box it is drawn in", () => {
    const box = { x: [100, 200], y: [1000, 3000] } as const
    expect(clipped(20, box)).toEqual([
      [100, 2000],
      [150, 3000],
    ])
    expect(clipped(1, box)).toBeNull()
  })
})
