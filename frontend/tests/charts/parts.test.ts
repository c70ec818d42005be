import { describe, expect, it } from "vitest"
import { crossingSpan, drawnLines, noteOf, reach } from "@/charts/parts/breakEven"
import { fitOf, excludedPoints, placedPoints } from "@/charts/parts/partsFigure"
import { besideLine, lineParts, room, spread } from "@/charts/parts/partsGeometry"
import { ends } from "@/parts/ends"
import type { Line, LinePoint, Meeting } from "@/parts/line"
import { memoryWords } from "@/strings/memory"
import { countedWords, nounOf } from "@/strings/parts"
import { interval } from "./comparison"

const quantity = (value: number, unit: string, U95: number | null = null) => ({ value, unit, U95 })
const point = (run_id: string, count: number): LinePoint => ({
  run_id,
  configuration: `fbd${count}`,
  title: `${count} FB-DIMMs`,
  count,
  memory_gib: count,
  power: quantity(200 + 6 * count, "W"),
  efficiency: null,
  throughput: null,
  overrides: [],
  sources_disagree: false,
  simulated: false,
  traceable: true,
})

describe("the memory figure", () => {
  it("sets repeats side by side about their count", () => {
    const runs = [point("a", 2), point("b", 2), point("c", 2), point("d", 8)]
    const placed = spread(placedPoints(runs, "power", "count"), 40)
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
    const offsets = spread(placedPoints(runs, "power", "count"), room_px).map((marker) => marker.dx)
    expect(room_px).toBe(15)
    expect(Math.max(...offsets.map(Math.abs))).toBeLessThanOrEqual(room_px)
  })

  it("shows runs that the line does not count where watts against the count are drawn", () => {
    const excluded = [
      {
        run_id: "x",
        configuration: "fbd2",
        title: "",
        count: 2,
        power: quantity(212, "W"),
        reason: "Unsteady (rule drift).",
      },
      {
        run_id: "y",
        configuration: "fbd4",
        title: "",
        count: null,
        power: quantity(224, "W"),
        reason: "DIMM count not known.",
      },
    ]
    const line = { excluded } as Pick<Line, "excluded">
    expect(excludedPoints(line, "power", "count")).toEqual([{ run_id: "x", at: 2, value: 212 }])
    expect(excludedPoints(line, "efficiency", "count")).toEqual([])
    expect(excludedPoints(line, "power", "capacity")).toEqual([])
  })

  it("shows only runs that have the quantity and the place, with the ± of that quantity", () => {
    const whole = { ...point("a", 2), throughput: quantity(700, "signs/s", 8), power: quantity(212, "W", 2) }
    const bare = { ...point("b", 4), memory_gib: null }
    expect(placedPoints([whole, bare], "throughput", "count").map((point) => [point.value, point.u95])).toEqual([
      [700, 8],
    ])
    expect(placedPoints([whole, bare], "power", "capacity").map((point) => [point.at, point.u95])).toEqual([[2, 2]])
    expect(placedPoints([bare], "power", "count")[0]!.u95).toBe(0)
  })

  it("shows idle watts and their own line; fits nothing but watts against the count", () => {
    const resting = { ...point("a", 2), idle_power: quantity(156, "W", 3) }
    expect(placedPoints([resting, point("b", 4)], "idle", "count").map((point) => [point.value, point.u95])).toEqual([
      [156, 3],
    ])
    const slope = { value: 6, low: 5, high: 7, u: 0.5, dof: null, complete: true }
    const memory = { line: [[2, 212, 210, 214]], watts_per_part: slope } as unknown as Line
    const idle = { n: 2, line: [[2, 156, 155, 157]], watts_per_part: { ...slope, value: 3 } }
    expect(fitOf(memory, "power", "count").slope?.value).toBe(6)
    expect(fitOf(memory, "idle", "count").line).toEqual([])
    expect(fitOf({ ...memory, idle } as Line, "idle", "count").slope?.value).toBe(3)
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
  const line = (server: string, watts_without_parts: number, slope: number) => ({
    server,
    part: "1 GiB FB-DIMM",
    title: "FB-DIMM",
    watts_without_parts,
    watts_per_part: interval(slope, 0.1),
    included: false,
    simulated: false,
    traceable: true,
  })
  const memory = (server: string, counts: number[]) =>
    ({
      server,
      part: "1 GiB FB-DIMM",
      points: counts.map((count) => point(`${server}${count}`, count)),
      line: [],
    }) as unknown as Line
  const breakEven = (crossing: Meeting["crossing"]): Meeting => ({
    kind: "DIMM",
    server: "fb",
    part: "1 GiB FB-DIMM",
    against: "reg",
    against_part: "1 GiB FB-DIMM",
    workload: "rsa",
    level: "all",
    statement: "",
    simulated: false,
    lines: [line("fb", 240, 7), line("reg", 290, 2)],
    crossing,
    slope_difference: null,
    equal_power: null,
  })
  const at = (low: number | null, high: number | null) => ({
    count: { value: 10, low, high, U95: null },
    first_whole: 10,
    extrapolated: true,
  })
  const both = [memory("fb", [2, 4]), memory("reg", [2, 8])]

  it("shows the crossing beyond the counts, and calls the way there extrapolated", () => {
    expect(reach(breakEven(at(9, 11)), both)).toEqual([2, 11])
    const lines = drawnLines(breakEven(at(9, 11)), both)
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

  it("says that both draw the same where they meet only if they do, and what is dashed only if anything is", () => {
    const note = (crossing: Meeting["crossing"], lines: Line[]) =>
      noteOf(breakEven(crossing), drawnLines(breakEven(crossing), lines), memoryWords)
    const dashed = "Dashed: extrapolated, not measured."
    expect(note(at(9, 11), both)).toBe(`${memoryWords.meet} ${dashed}`)
    const alike = [memory("fb", [2, 8]), memory("reg", [2, 8])]
    expect(note(null, alike)).not.toMatch(/same power|xtrapolated/)
    expect(note(null, both)).toMatch(dashed)
  })
})

describe("watts without parts", () => {
  it("are called extrapolated only where none were not measured", () => {
    const words = countedWords(nounOf("drive"))
    expect(words.interceptNote(false)).toBe("The fitted line at zero drives; extrapolated, not measured")
    expect(words.interceptNote(true)).toBe("The fitted line at zero drives")
  })
})

describe("two models of part in one server", () => {
  const part = { remark: null, included: false, simulated: false, traceable: true, server: "s" }
  const line = (name: string, slope: number, counts: number[]) =>
    ({
      kind: "drive",
      part: name,
      server: "s",
      points: counts.map((count) => point(`${name}${count}`, count)),
      line: [],
      slope,
    }) as unknown as Line
  const lines = [line("S3500", 3, [2, 4]), line("PM S3500", 6, [1, 8])]

  it("are told apart by their whole name, not by its end", () => {
    const drawn = drawnLines(
      {
        kind: "drive",
        server: "s",
        part: "S3500",
        against: "s",
        against_part: "PM S3500",
        statement: "",
        workload: "fio",
        level: "4 jobs",
        simulated: false,
        equal_power: null,
        lines: [
          {
            ...part,
            part: "PM S3500",
            title: "drive PM S3500",
            watts_per_part: interval(6, 0.1),
            watts_without_parts: 100,
          },
          { ...part, part: "S3500", title: "drive S3500", watts_per_part: interval(3, 0.1), watts_without_parts: 100 },
        ],
        crossing: null,
        slope_difference: null,
      },
      lines,
    )
    expect(drawn.map(({ parts }) => parts.measured.map(([count]) => count))).toEqual([
      [1, 8],
      [2, 4],
    ])
  })
})

describe("the ends of an interval", () => {
  it("have the decimals of the value, and are none where one is not known", () => {
    expect(ends({ value: 9.6, low: 8.912, high: 11.268, U95: 1.178 })).toEqual(["8.9", "11.3"])
    expect([ends({ value: 9.6, low: 8.9, high: null, U95: null }), ends(null)]).toEqual([null, null])
  })
})
