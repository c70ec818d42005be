import { describe, expect, it } from "vitest"
import { points, ties, twoSided, unitOf } from "@/charts/compare/points"
import { compare, group, interval } from "./comparison"

describe("points of a comparison", () => {
  it("come best first and leave refused groups out", () => {
    const data = compare([group("a", 20), group("b", 25), group("c", null, { refusal: "not steady" })])
    expect(points(data, "efficiency").map((point) => point.group.key)).toEqual(["b", "a"])
  })

  it("put the least power first, and the least efficiency figure where lower is better", () => {
    const data = compare([group("a", 20, { power_w: interval(300, 1) }), group("b", 25, { power_w: interval(200, 1) })])
    expect(points(data, "power")[0]!.group.key).toBe("b")
    expect(points({ ...data, direction: "lower" }, "efficiency")[0]!.group.key).toBe("a")
  })

  it("draw no bar for published or not traceable figures, though the service gives their rounding", () => {
    const data = compare([
      group("a", 20),
      group("b", 57, { kind: "published", traceable: false }),
      group("c", 19, { traceable: false }),
    ])
    const bars = Object.fromEntries(points(data, "efficiency").map((point) => [point.group.key, point.interval]))
    expect(bars["a"]).toEqual([19.8, 20.2])
    expect(bars["b"]).toBeNull()
    expect(bars["c"]).toBeNull()
  })

  it("draw no bar for an interval that holds the scatter of repeats only", () => {
    const scatter = { ...interval(20, 0.2), complete: false, U95: null }
    expect(points(compare([group("a", 20, { efficiency: scatter })]), "efficiency")[0]!.interval).toBeNull()
  })

  it("keep the most efficient first when power, of which less is better, is what is compared", () => {
    const data = compare([group("a", 20), group("b", 25)], { compared_by: "power", direction: "lower" })
    expect(points(data, "efficiency").map((point) => point.group.key)).toEqual(["b", "a"])
  })

  it("draw no bar where a ratio has no interval, and keep the ratio", () => {
    const single = { key: "b", baseline: "a", ratio: { value: 1.25, U95: null }, p_adjusted: null, significant: null }
    const pairs = [{ ...single, verdict: "", budget: [], cancels: [] }]
    const [first] = points(compare([group("a", 20), group("b", 25)], { pairs }), "relative")
    expect([first!.value, first!.interval]).toEqual([1.25, null])
  })

  it("come of the groups that are in sight alone", () => {
    const data = compare([group("a", 20), group("b", 57, { kind: "published" })])
    expect(points(data, "efficiency", [data.groups[0]!])).toHaveLength(1)
  })

  it("show what is not ranked after everything else, with its reason and without a bar", () => {
    const unranked = { efficiency: { value: 99, n: 2, why: "readings are missing (rule gaps)" } }
    const data = compare([group("x", null, { unranked }), group("a", 20), group("b", 25)])
    const drawn = points(data, "efficiency")
    expect(drawn.map((point) => point.group.key)).toEqual(["b", "a", "x"])
    expect(drawn[2]).toMatchObject({ value: 99, interval: null, unranked: "readings are missing (rule gaps)" })
    expect(points(data, "relative").at(-1)).toMatchObject({ value: 99 / 20, interval: null })
  })

  it("take ratios from the service and show the baseline as one", () => {
    const data = compare([group("a", 20), group("b", 25), group("c", 22)], {
      pairs: [
        {
          key: "b",
          baseline: "a",
          ratio: interval(1.25, 0.05),
          p_adjusted: 0.001,
          significant: true,
          verdict: "",
          budget: [],
          cancels: [],
        },
      ],
    })
    const relative = points(data, "relative")
    expect(relative.map((point) => [point.group.key, point.value])).toEqual([
      ["b", 1.25],
      ["a", 1],
    ])
    expect(relative[0]!.interval).toEqual([1.2, 1.3])
    expect(unitOf(data, "relative")).toBe("1")
  })
})

describe("simulated beside measured", () => {
  const simulated = { kind: "simulated" as const }

  it("is told, so that every figure names its side", () => {
    expect(twoSided(compare([group("a", 20), group("b", 25, simulated)]))).toBe(true)
    expect(twoSided(compare([group("a", 20, simulated), group("b", 25, simulated)]))).toBe(false)
    expect(twoSided(compare([group("a", 20), group("b", 57, { kind: "published" })]))).toBe(false)
  })

  it("is never one tie, though both hold the same ranks among their own", () => {
    const ranks = { rank_low: 1, rank_high: 2 }
    const data = compare([group("a", 30, ranks), group("b", 29, { ...ranks, ...simulated }), group("c", 28, ranks)])
    expect(ties(points(data, "efficiency"))).toEqual([[0, 2]])
  })
})

describe("ties", () => {
  it("bracket rows that share their ranks, across figures without a rank", () => {
    const data = compare([
      group("a", 30, { rank_low: 1, rank_high: 1 }),
      group("b", 25, { rank_low: 2, rank_high: 4 }),
      group("x", 24.95, { kind: "published" }),
      group("c", 24.9, { rank_low: 2, rank_high: 4 }),
      group("d", 24.8, { rank_low: 2, rank_high: 4 }),
      group("e", 20, { rank_low: 5, rank_high: 6 }),
      group("f", 10),
    ])
    expect(ties(points(data, "efficiency"))).toEqual([[1, 3, 4]])
  })
})
