import { describe, expect, it } from "vitest"
import type { Schemas } from "@/api/client"
import { crossingSpan, reach, serverLines } from "@/charts/memory/breakEven"
import { fitOf, excludedPoints, memoryPoints } from "@/charts/memory/memoryFigure"
import { besideLine, lineParts, room, spread, type MemoryPoint } from "@/charts/memory/memoryGeometry"
import { interval } from "./comparison"

const quantity = (value: number, unit: string, U95: number | null = null) => ({ value, unit, U95 })
const point = (run_id: string, dimm_count: number): MemoryPoint => ({
  run_id,
  configuration: `fbd${dimm_count}`,
  title: `${dimm_count} FB-DIMMs`,
  dimm_count,
  memory_gib: dimm_count,
  power: quantity(200 + 6 * dimm_count, "W"),
  efficiency: null,
  throughput: null,
  channels: {},
  overrides: [],
  sources_disagree: false,
  simulated: false,
  traceable: true,
})

describe("the memory figure", () => {
  it("sets repeats side by side about their count", () => {
    const runs = [point("a", 2), point("b", 2), point("c", 2), point("d", 8)]
    const placed = spread(memoryPoints(runs, "power", "count"), 40)
    const offsets = placed.map((marker) => marker.dx)
    expect(offsets[0]! + offsets[1]! + offsets[2]!).toBe(0)
    expect(new Set(offsets.slice(0, 3)).size).toBe(3)
    expect(offsets[3]).toBe(0)
  })

  it("writes the slope above the middle of its line, where the line is lower", () => {
    const [x, y] = [(at: number) => 10 * at, (value: number) => 300 - value]
    const rising: [number, number, number, number][] = [
      [2, 160, 155, 165],
      [4, 172, 170, 174],
      [8, 198, 190, 206],
    ]
    expect(besideLine(rising, x, y)).toEqual({ x: 40, y: 116, anchor: "end" })
    const falling = rising.map(([at], i) => [at, 200 - i, 199 - i, 201 - i] as [number, number, number, number])
    expect(besideLine(falling, x, y)?.anchor).toBe("start")
    expect(besideLine([], x, y)).toBeNull()
    const fitting = besideLine(rising, x, y, 35, [10, 1000])
    expect(fitting?.anchor).toBe("end")
    expect(fitting!.x - 35).toBeGreaterThanOrEqual(10)
    expect(fitting!.y).toBeLessThan(besideLine(rising, x, y)!.y)
  })

  it("keeps many repeats nearer to their count than to the next one", () => {
    const runs = Array.from({ length: 28 }, (_, i) => point(`r${i}`, 2))
    const room_px = room([100, 200, 400])
    const offsets = spread(memoryPoints(runs, "power", "count"), room_px).map((marker) => marker.dx)
    expect(room_px).toBe(15)
    expect(Math.max(...offsets.map(Math.abs))).toBeLessThanOrEqual(room_px)
  })

  it("shows runs that the line does not count where watts against the count are drawn", () => {
    const excluded = [
      {
        run_id: "x",
        configuration: "fbd2",
        title: "",
        dimm_count: 2,
        power: quantity(212, "W"),
        reason: "Unsteady (rule drift).",
      },
      {
        run_id: "y",
        configuration: "fbd4",
        title: "",
        dimm_count: null,
        power: quantity(224, "W"),
        reason: "DIMM count not known.",
      },
    ]
    const memory = { excluded } as unknown as Schemas["MemoryOut"]
    expect(excludedPoints(memory, "power", "count")).toEqual([{ run_id: "x", at: 2, value: 212 }])
    expect(excludedPoints(memory, "efficiency", "count")).toEqual([])
    expect(excludedPoints(memory, "power", "capacity")).toEqual([])
  })

  it("shows only runs that have the quantity and the place, with the ± of that quantity", () => {
    const whole = { ...point("a", 2), throughput: quantity(700, "signs/s", 8), power: quantity(212, "W", 2) }
    const bare = { ...point("b", 4), memory_gib: null }
    expect(memoryPoints([whole, bare], "throughput", "count").map((point) => [point.value, point.u95])).toEqual([
      [700, 8],
    ])
    expect(memoryPoints([whole, bare], "power", "capacity").map((point) => [point.at, point.u95])).toEqual([[2, 2]])
    expect(memoryPoints([bare], "power", "count")[0]!.u95).toBe(0)
  })

  it("shows idle watts and their own line; fits nothing but watts against the count", () => {
    const resting = { ...point("a", 2), idle_power: quantity(156, "W", 3) }
    expect(memoryPoints([resting, point("b", 4)], "idle", "count").map((point) => [point.value, point.u95])).toEqual([
      [156, 3],
    ])
    const slope = { value: 6, low: 5, high: 7, u: 0.5, dof: null, complete: true }
    const memory = { line: [[2, 212, 210, 214]], watts_per_dimm: slope } as unknown as Schemas["MemoryOut"]
    const idle = { n: 2, line: [[2, 156, 155, 157]], watts_per_dimm: { ...slope, value: 3 } }
    expect(fitOf(memory, "power", "count").slope?.value).toBe(6)
    expect(fitOf(memory, "idle", "count").line).toEqual([])
    expect(fitOf({ ...memory, idle } as Schemas["MemoryOut"], "idle", "count").slope?.value).toBe(3)
    expect([fitOf(memory, "power", "capacity").line, fitOf(memory, "efficiency", "count").line]).toEqual([[], []])
  })

  it("dashes the line outside the measured counts and joins the parts there", () => {
    const parts = lineParts(
      [
        [0, 200, 198, 202],
        [16, 296, 290, 302],
      ],
      [2, 4, 8],
    )
    expect(parts.measured).toEqual([
      [2, 212],
      [8, 248],
    ])
    expect(parts.extrapolated).toEqual([
      [
        [0, 200],
        [2, 212],
      ],
      [
        [8, 248],
        [16, 296],
      ],
    ])
  })

  it("has nothing to dash when the line ends where the points do", () => {
    const parts = lineParts(
      [
        [2, 212, 210, 214],
        [8, 248, 246, 250],
      ],
      [2, 8],
    )
    expect(parts.extrapolated).toEqual([])
  })

  it("draws no line without a fit", () => {
    expect(lineParts([], [2, 4])).toEqual({ measured: [], extrapolated: [] })
  })
})

describe("the break-even figure", () => {
  // 240 W + 7 W/DIMM and 290 W + 2 W/DIMM meet at 50/5 = 10 DIMMs, at 310 W.
  const line = (server: string, watts_without_dimms: number, slope: number) => ({
    server,
    memory_type: "FB-DIMM",
    watts_without_dimms,
    watts_per_dimm: interval(slope, 0.1),
    included: false,
    simulated: false,
    traceable: true,
  })
  const memory = (server: string, counts: number[]) =>
    ({
      server,
      points: counts.map((count) => point(`${server}${count}`, count)),
      line: [],
    }) as unknown as Schemas["MemoryOut"]
  const breakEven = (crossing: Schemas["BreakEvenOut"]["crossing"]): Schemas["BreakEvenOut"] => ({
    server: "fb",
    against: "reg",
    workload: "rsa",
    level: "all",
    statement: "",
    simulated: false,
    lines: [line("fb", 240, 7), line("reg", 290, 2)],
    crossing,
    slope_difference: null,
  })
  const at = (low: number | null, high: number | null) => ({
    dimms: { value: 10, low, high, U95: null },
    first_whole: 10,
    extrapolated: true,
  })
  const both = [memory("fb", [2, 4]), memory("reg", [2, 8])]

  it("shows the crossing beyond the counts, and calls the way there extrapolated", () => {
    expect(reach(breakEven(at(9, 11)), both)).toEqual([2, 11])
    const lines = serverLines(breakEven(at(9, 11)), both)
    expect(lines[0]!.parts.measured).toEqual([
      [2, 254],
      [4, 268],
    ])
    expect(lines[0]!.parts.extrapolated).toEqual([
      [
        [4, 268],
        [11, 317],
      ],
    ])
    expect(lines.map((line) => line.endW)).toEqual([317, 312])
  })

  it("ends where an interval is open or reaches far, and has no strip without a crossing", () => {
    expect(reach(breakEven(at(9, 500)), both)).toEqual([2, 16])
    expect(crossingSpan(breakEven(at(9, 500)), [2, 16])).toEqual([9, 16])
    expect(crossingSpan(breakEven(at(9, null)), reach(breakEven(at(9, null)), both))).toEqual([9, 16])
    expect(crossingSpan(breakEven(null), reach(breakEven(null), both))).toBeNull()
    expect(reach(breakEven(null), both)).toEqual([2, 8])
  })
})
