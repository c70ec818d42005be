import { describe, expect, it } from "vitest"
import { call } from "@/live/bell"
import type { Campaign } from "@/live"

const campaign = (more: Partial<Campaign>): Campaign => ({
  state: "running",
  live_power_simulated: false,
  campaign_id: "x",
  runs: [],
  under_way: [],
  ...more,
})

describe("call", () => {
  it("calls when somebody is needed and when a campaign has failed, and for nothing else", () => {
    expect(call(null)).toBeNull()
    expect(call(campaign({}))).toBeNull()
    expect(call(campaign({ state: "complete" }))).toBeNull()
    expect(call(campaign({ state: "waiting-for-operator", message: "Bring a to two." }))?.text).toBe("Bring a to two.")
    expect(call(campaign({ state: "failed", message: "No meter." }))?.title).toBe("The campaign failed")
  })

  it("calls anew for another request", () => {
    const first = call(campaign({ state: "waiting-for-operator", message: "one" }))
    const second = call(campaign({ state: "waiting-for-operator", message: "two" }))
    expect(first?.key).not.toBe(second?.key)
  })
})
