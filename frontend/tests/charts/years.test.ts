import { describe, expect, it } from "vitest"
import { byYear, MOST_KEYS, yearPoints, yearsOf, yearsPdfUrl } from "@/charts/compare/years"
import type { Compare } from "@/charts/compare/points"
import { logAxis } from "@/charts/scale"
import { group, interval } from "./comparison"

const result = (key: string, perWatt: number | null, available: string | null, published: string | null) =>
  group(key, perWatt, {
    kind: "published",
    power_w: interval(200, 0.5),
    facts: { tags: [], available_on: available, published_on: published },
  })

describe("figures over the years", () => {
  it("stand at their date, published ones only, and by the date that is asked for", () => {
    expect(yearsOf("2009-01-01")).toBe(2009)
    expect(yearsOf("2008-07-01")).toBeCloseTo(2008.497, 3)
    expect(yearsOf(null)).toBeNull()
    // Neither a year before SPEC was founded nor hardware that is sold in more than a year is a date.
    expect(yearsOf("0208-07-01")).toBeNull()
    expect(yearsOf("2080-07-01")).toBeNull()
    expect(yearsOf("2027-03-01", Date.UTC(2026, 10, 1))).toBeCloseTo(2027.161, 3)
    const groups = [
      result("late", 900, "2010-02-01", "2010-03-10"),
      result("early", 600, "2008-07-01", "2009-03-30"),
      result("undated", 700, null, "2009-05-06"),
      result("idle", null, "2009-01-01", "2009-01-01"),
      group("ours", 800, { facts: { tags: [], available_on: "2009-01-01" } }),
    ]
    expect(yearPoints(groups, "efficiency", "available").map((point) => point.group.key)).toEqual(["early", "late"])
    expect(yearPoints(groups, "efficiency", "published").map((point) => point.group.key)).toEqual([
      "early",
      "undated",
      "late",
    ])
    expect(yearPoints(groups, "power", "available")).toHaveLength(3)
  })

  it("are there as PDF: all of them, or those in sight by their keys, if these are not too many", () => {
    const many = Array.from({ length: MOST_KEYS + 2 }, (_, i) => result(`published:${i}`, 600 + i, "2009-01-01", null))
    const compare = { workload: "ssj", level: "overall", compared_by: "efficiency", groups: many } as unknown as Compare
    const points = yearPoints(many, "efficiency", "available")
    const address = "/api/export/figure/years.pdf?workload=ssj&level=overall&figure=efficiency&dates=available"
    expect(yearsPdfUrl(compare, points, "available")).toBe(address)
    expect(yearsPdfUrl(compare, points.slice(0, 2), "available")).toBe(`${address}&keys=published%3A0%2Cpublished%3A1`)
    expect(yearsPdfUrl(compare, points.slice(1), "available")).toBeNull()
  })

  it("have a median and a best by calendar year, in the direction that is better", () => {
    const groups = [478, 437, 600].map((value, i) => result(String(value), value, `2009-0${i + 1}-01`, null))
    const points = yearPoints(groups, "efficiency", "available")
    const [year] = byYear(points, false)
    expect(year).toMatchObject({ year: 2009, count: 3, median: 478 })
    expect(year!.best.value).toBe(600)
    expect(byYear(points, true)[0]!.best.value).toBe(437)
  })

  it("need a logarithmic axis, whose ends are ticks", () => {
    const axis = logAxis(87, 24_507, 400, 0)
    expect(axis.ticks).toEqual([30, 100, 300, 1000, 3000, 10_000, 30_000])
    expect(axis.at(30)).toBe(400)
    expect(axis.at(30_000)).toBe(0)
    expect(axis.at(Math.sqrt(30 * 30_000))).toBeCloseTo(200)
  })
})
