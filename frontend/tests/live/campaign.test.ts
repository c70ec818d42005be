import { describe, expect, it } from "vitest"
import { partners, phaseLeft, phaseProgress, runsLeft, type CampaignRun } from "@/live/campaign"

const run = (order: number, over: Partial<CampaignRun> = {}): CampaignRun => ({
  order,
  run_id: null,
  server: `s${order}`,
  configuration: "c",
  workload: "w",
  level: "l",
  repeat: 1,
  state: "planned",
  optional: false,
  simulated: false,
  earlier: [],
  ...over,
})

describe("a phase", () => {
  it("says how far it is and what is left, where its end is known", () => {
    const phase = { phase_begin_s: 100, phase_end_s: 140 }
    expect([phaseProgress(phase, 110), phaseLeft(phase, 110)]).toEqual([0.25, 30])
    expect([phaseProgress(phase, 200), phaseLeft(phase, 200)]).toEqual([1, 0])
    expect([phaseProgress({ phase_begin_s: 1 }, 2), phaseLeft({ phase_begin_s: 1 }, 2)]).toEqual([null, null])
  })
})

describe("the runs of a campaign", () => {
  it("are left while they are neither complete nor skipped, nor only perhaps needed", () => {
    const states = ["planned", "running", "complete", "failed", "aborted", "interrupted", "skipped"] as const
    const runs = [...states.map((state, order) => run(order, { state })), run(7, { optional: true })]
    expect(runsLeft(runs).map((run) => run.order)).toEqual([0, 1, 3, 4, 5])
  })

  it("have partners on the other servers of their group", () => {
    const runs = [run(0, { together: 0 }), run(1, { together: 0 }), run(2, { together: 1 }), run(3), run(4)]
    expect(runs.map((run) => partners(run, runs))).toEqual([["s1"], ["s0"], [], [], []])
  })
})
