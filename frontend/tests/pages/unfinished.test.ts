import { describe, expect, it } from "vitest"
import type { Campaign } from "@/live"
import { unfinished } from "@/pages/campaign/unfinished"

type Run = Campaign["runs"][number]
const run = (order: number, state: Run["state"], over: Partial<Run> = {}): Run => ({
  order,
  run_id: null,
  server: "a",
  configuration: "c",
  workload: "w",
  level: "l",
  repeat: 1,
  state,
  optional: false,
  simulated: false,
  earlier: [],
  expected_s: 60,
  ...over,
})
const campaign = (runs: Run[], over: Partial<Campaign> = {}): Campaign => ({
  state: "aborted",
  live_power_simulated: false,
  campaign_id: "one",
  resumable: "one",
  runs,
  under_way: [],
  ...over,
})

describe("what is left of a campaign", () => {
  it("is every run that was neither completed nor skipped, and the machines they need", () => {
    const left = unfinished(
      campaign([
        run(0, "complete"),
        run(1, "skipped"),
        run(2, "aborted"),
        run(3, "planned", { server: "b", expected_s: 30 }),
        run(4, "planned", { server: "c", optional: true }),
      ]),
    )!
    expect(left.runs.map((run) => run.order)).toEqual([2, 3])
    expect(left.servers).toEqual(["a", "b"])
    expect(left.expectedS).toBe(90)
  })

  it("has no duration while that of one run is not known", () => {
    expect(unfinished(campaign([run(0, "planned"), run(1, "planned", { expected_s: null })]))!.expectedS).toBeNull()
  })

  it("is not told from the run table of another campaign", () => {
    expect(unfinished(campaign([run(0, "planned")], { resumable: "two" }))).toBeNull()
    expect(unfinished(campaign([], { campaign_id: null }))).toBeNull()
  })
})
