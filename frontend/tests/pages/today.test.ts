import { describe, expect, it } from "vitest"
import type { HealthChart, TakenPlan } from "@/api/queue"
import { healthSegments, lastEvening, withoutCampaign } from "@/pages/today/health"

const local = (text: string): number => new Date(text).getTime() / 1000

describe("last night", () => {
  it("begins at six in the evening of the day before, by the reader's clock", () => {
    expect(lastEvening(new Date("2026-12-01T07:30:00"))).toBe(local("2026-11-30T18:00:00"))
    expect(lastEvening(new Date("2026-12-01T23:59:00"))).toBe(local("2026-11-30T18:00:00"))
    expect(lastEvening(new Date("2027-01-01T00:00:00"))).toBe(local("2026-12-31T18:00:00"))
  })

  it("names what ended without a campaign since then, for its words alone say why", () => {
    const taken = (outcome: TakenPlan["outcome"], at_s: number, campaign_id: string | null = null): TakenPlan => {
      return { plan: "nightly", due_s: at_s, by: null, at_s, outcome, campaign_id, message: null }
    }
    const all = [
      taken("started", 210),
      taken("refused", 200),
      taken("complete", 190, "c2"),
      taken("interrupted", 185),
      taken("skipped", 180),
      taken("interrupted", 170, "c1"),
      taken("refused", 90),
    ]
    expect(withoutCampaign(all, 100).map(({ outcome, at_s }) => [outcome, at_s])).toEqual([
      ["refused", 200],
      ["interrupted", 185],
      ["skipped", 180],
    ])
  })
})

describe("the chart of a reference", () => {
  const chart: HealthChart = {
    figure: "power",
    unit: "W",
    state: "in control",
    statement: "In control.",
    limits: { count: 10, centre: 100, s: 1, warning: { low: 98, high: 102 }, action: { low: 97, high: 103 } },
    doubt: null,
    uncharted: 0,
    missing: 0,
    points: [
      {
        campaign_id: "c1",
        t_s: 1,
        value: 99,
        runs: 3,
        simulated: false,
        in_baseline: false,
        z: -1,
        zone: "in control",
        violations: [],
      },
    ],
  }

  it("is one segment with the limits of its baseline", () => {
    const [segment, ...more] = healthSegments(chart)
    expect(more).toEqual([])
    expect(segment!.limits).toEqual(chart.limits)
    expect(segment!.points.map(({ key, value }) => [key, value])).toEqual([["c1", 99]])
  })

  it("has nothing to draw before the first campaign", () => {
    expect(healthSegments({ ...chart, limits: null, points: [] })).toEqual([])
  })
})
