import { describe, expect, it } from "vitest"
import type { LiveOutput } from "@/api/outputs"
import { tallyOf, TONES } from "@/pages/export/outputRows"

const output = (changes: Partial<LiveOutput>): LiveOutput => ({ name: "mqtt", state: "on", sent: 0, ...changes })

describe("an output of live readings in words", () => {
  it("says what was acknowledged and what was not sent", () => {
    const last = "2026-02-01T12:00:00+00:00"
    expect(tallyOf(output({ sent: 12345, not_sent: 0, last }))).toMatch(/^12\D?345 readings acknowledged, the last at /)
    expect(tallyOf(output({ sent: 2, not_sent: 1, last }))).toMatch(/ 1 reading not sent\.$/)
    expect(tallyOf(output({ not_sent: 3 }))).toBe("No reading has been acknowledged yet. 3 readings not sent.")
  })

  it("says when Prometheus has read", () => {
    const fetched = output({ name: "prometheus", sent: null })
    expect(tallyOf(fetched)).toBe("Nobody has read it yet.")
    expect(tallyOf({ ...fetched, last: "2026-02-01T12:00:00+00:00" })).toMatch(/^Read last at /)
  })

  it("says nothing of one that is off, and no fault looks fine", () => {
    expect(tallyOf(output({ state: "off" }))).toBe("")
    expect(TONES.waiting).not.toBe(TONES.on)
  })
})
