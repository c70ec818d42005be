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

  it("names what was refused or skipped since then, for no campaign tells of it", () => {
    const taken = (outcome: TakenPlan["outcome"], at_s: number): TakenPlan => {
      return { plan: "nightly", due_s: at_s, by: null, at_s, outcome, campaign_id: null, message: null }
    }
    const all = [taken("refused", 200), taken("complete", 190), taken("skipped", 180), taken("refused", 90)]
    expect(withoutCampaign(all, 100).map(({ outcome, at_s }) => [outcome, at_s])).toEqual([
      ["refused", 200],
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
    limits: { count: 10, centre: 100, s: 1, warning_low: 98, warning_high: 102, action_low: 97, action_high: 103 },
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
    expect(segment!.limits).toEqual({ centre: 100, warning: [98, 102], action: [97, 103] })
    expect(segment!.points.map(({ key, value }) => [key, value])).toEqual([["c1", 99]])
  })

  it("has nothing to draw before the first campaign", () => {
    expect(healthSegments({ ...chart, limits: null, points: [] })).toEqual([])
  })
})
