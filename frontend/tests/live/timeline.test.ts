import { describe, expect, it } from "vitest"
import { timeline, type CampaignRun, type UnderWay } from "@/live/campaign"
import { nextHands, upcoming } from "@/live/upcoming"
import type { Campaign } from "@/live"

const phases: Pick<UnderWay, "phases" | "to_come"> = {
  phases: [
    { name: "idle", begin_s: 100, end_s: 110 },
    { name: "settle", begin_s: 110, end_s: 120 },
  ],
  to_come: [
    { name: "measure", expected_s: 60 },
    { name: "hold", expected_s: 5 },
  ],
}

describe("timeline", () => {
  it("puts the phases to come behind the expected end of the present one", () => {
    expect(timeline(phases, 115).map(({ name, begin_s, end_s, toCome }) => [name, begin_s, end_s, toCome])).toEqual([
      ["idle", 100, 110, false],
      ["settle", 110, 120, false],
      ["measure", 120, 180, true],
      ["hold", 180, 185, true],
    ])
  })

  it("moves what is to come back while a phase lasts longer than expected", () => {
    expect(timeline(phases, 130).map((phase) => phase.end_s)).toEqual([110, 130, 190, 195])
  })

  it("begins now where no phase has begun", () => {
    expect(timeline({ phases: [], to_come: phases.to_come }, 50)[0]).toMatchObject({ begin_s: 50, end_s: 110 })
  })
})

const row = (order: number, more: Partial<CampaignRun> = {}): CampaignRun =>
  ({ order, server: "a", configuration: "c", state: "planned", expected_s: 100, hands: null, ...more }) as CampaignRun

const campaign = (runs: CampaignRun[]): Campaign =>
  ({ state: "running", runs, under_way: [{ ...phases, run_index: 0 }] }) as Campaign

describe("upcoming", () => {
  it("tells the next phase, the next run and the next time that somebody is needed", () => {
    const runs = [row(0, { state: "running", hands: "install" }), row(1), row(2), row(3, { hands: "install" })]
    const next = upcoming(campaign(runs), 115)
    expect(next.phase).toMatchObject({ name: "measure", begin_s: 120 })
    expect(next.run).toMatchObject({ run: { order: 1 }, at: 185 })
    expect(next.hands).toMatchObject({ run: { order: 3 }, at: 385 })
  })

  it("counts runs that are made at the same time once, and skipped ones not at all", () => {
    const runs = [
      row(0, { state: "running" }),
      row(1, { together: 1, expected_s: 80 }),
      row(2, { together: 1 }),
      row(3, { state: "skipped" }),
      row(4, { hands: "reboot" }),
    ]
    expect(upcoming(campaign(runs), 115).hands).toMatchObject({ run: { order: 4 }, at: 285 })
  })

  it("needs nobody where no run asks for it", () => {
    expect(upcoming(campaign([row(0, { state: "running" }), row(1)]), 115).hands).toBeNull()
  })
})

describe("nextHands", () => {
  it("tells for each server when somebody is needed there next", () => {
    const runs = [
      row(0, { state: "running" }),
      row(1, { hands: "re-seat" }),
      row(2, { server: "b", hands: "install" }),
      row(3, { hands: "install" }),
      row(4, { server: "c" }),
    ]
    const calls = [...nextHands(campaign(runs), 115)].map(([server, { run, at }]) => [server, run.order, at])
    expect(calls).toEqual([
      ["a", 1, 185],
      ["b", 2, 285],
    ])
  })
})
