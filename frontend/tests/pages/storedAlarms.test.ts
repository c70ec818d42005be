import { describe, expect, it } from "vitest"
import type { StoredAlarm } from "@/api/alarms"
import { endOf, lastedOf, limitOf, seconds, worstOf } from "@/pages/alarms/alarmRows"

const alarm = (changes: Partial<StoredAlarm>): StoredAlarm => ({
  number: 1,
  source: "wall",
  channel: "power",
  side: "high",
  limit: 300,
  unit: "W",
  run_must_keep: false,
  simulated: false,
  begin_s: 1000,
  seen_s: 1090,
  worst: 312.34,
  end_s: 1095,
  ended: "back",
  closed_s: 1095,
  ending: "",
  ...changes,
})

describe("a stored alarm in words", () => {
  it("names its limit and how far it was exceeded", () => {
    expect(limitOf(alarm({}))).toBe("above 300\u00a0W")
    expect(limitOf(alarm({ side: "low", limit: 18.5, unit: "°C" }))).toBe("below 18.5\u00a0°C")
    expect(worstOf(alarm({}))).toBe("312.3\u00a0W")
  })

  it("lasted until it was over, and at least as long as readings tell where that is not known", () => {
    expect(seconds(alarm({}))).toBe(95)
    const died = alarm({ end_s: null, ended: "service-died" })
    expect(seconds(died)).toBe(90)
    expect(lastedOf(died)).toBe(`at least ${lastedOf(alarm({ end_s: 1090 }))}`)
  })

  it("says that its end is not known, and why", () => {
    expect(endOf(alarm({}))).toEqual({ tone: "ok", word: "Ended" })
    expect(endOf(alarm({ end_s: null, ended: null }))).toEqual({ tone: "bad", word: "Ongoing" })
    const stopped = endOf(alarm({ end_s: null, ended: "service-stopped" }))
    expect(stopped).toEqual({ tone: "warn", word: "End unknown: the service stopped" })
  })
})
