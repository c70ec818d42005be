import { describe, expect, it } from "vitest"
import { campaignsOf, metersOf, orderOf, yearAfter } from "@/pages/calibration/inHouse"

const form = {
  campaign: "stepped",
  meter: "plug",
  reference: "analyser",
  dueOn: "2027-03-01",
  laboratory: " Example Lab ",
  by: "K. Berg",
}

describe("an in-house calibration", () => {
  it("is ordered only when everything is chosen", () => {
    expect(orderOf(form)).toEqual({
      campaign_id: "stepped",
      run_ids: [],
      note: "Compared in house",
      meter: "plug",
      reference: "analyser",
      due_on: "2027-03-01",
      laboratory: "Example Lab",
      by: "K. Berg",
    })
    for (const name of Object.keys(form)) expect(orderOf({ ...form, [name]: "" })).toBeNull()
    expect(orderOf({ ...form, laboratory: " " })).toBeNull()
  })
  it("never compares a meter with itself", () => {
    expect(orderOf({ ...form, reference: "plug" })).toBeNull()
  })
  it("offers campaigns once, the newest first", () => {
    const runs = [
      { campaign_id: "a", created: "2026-01-01" },
      { campaign_id: "b", created: "2026-03-01" },
      { campaign_id: "a", created: "2026-02-01" },
      { campaign_id: null, created: "2026-04-01" },
    ]
    expect(campaignsOf(runs)).toEqual(["b", "a"])
  })
  it("offers meters by their role", () => {
    const meters = [
      { meter: "wall", role: "wall" as const },
      { meter: "plug", role: "secondary" as const },
    ]
    expect([metersOf(meters, "wall"), metersOf(meters, "secondary")]).toEqual([["wall"], ["plug"]])
  })
  it("proposes a year", () => {
    expect(yearAfter(new Date("2026-11-25T23:30:00Z"))).toBe("2027-11-25")
  })
})
