import { describe, expect, it } from "vitest"
import type { StoredCampaign } from "@/api/campaign"
import { historyTone, lasted, runsWith } from "@/pages/campaign/outcomes"
import { campaignWords } from "@/strings/campaign"

const campaign = (over: Partial<StoredCampaign>): StoredCampaign => ({
  campaign_id: "x",
  plan: "p",
  title: "",
  state: "complete",
  message: null,
  started_s: 1000,
  ended_s: 1600,
  servers: ["a"],
  runs: 9,
  outcomes: [{ outcome: "ok", words: "OK", runs: 9 }],
  resumable: false,
  ...over,
})

describe("a campaign of the history", () => {
  it("is marked in order only when all runs that it made are", () => {
    expect(historyTone(campaign({}))).toBe("ok")
    const skipped = campaign({
      outcomes: [
        { outcome: "ok", words: "OK", runs: 8 },
        { outcome: "skipped", words: "Skipped", runs: 1 },
      ],
    })
    expect(historyTone(skipped)).toBe("ok")
    const spoilt = campaign({
      outcomes: [
        { outcome: "ok", words: "OK", runs: 1 },
        { outcome: "disturbed", words: "Disturbed by other programs", runs: 8 },
      ],
    })
    expect(historyTone(spoilt)).toBe("warn")
    expect(historyTone(campaign({ state: "interrupted" }))).toBe("warn")
    expect(historyTone(campaign({ state: "failed" }))).toBe("bad")
    expect(runsWith(spoilt, "disturbed")).toBe(8)
    expect(runsWith(spoilt, "failed")).toBe(0)
    expect(runsWith(undefined, "ok")).toBe(0)
  })

  it("says how long it took where its end is known", () => {
    expect(lasted(campaign({}))).toBe(600)
    expect(lasted(campaign({ ended_s: null }))).toBeNull()
  })

  it("offers to repeat one disturbed run or several", () => {
    expect(campaignWords.repeat(1)).toBe("Repeat the disturbed run")
    expect(campaignWords.repeat(8)).toBe("Repeat the 8 disturbed runs")
  })
})
