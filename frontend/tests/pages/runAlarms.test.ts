import { describe, expect, it } from "vitest"
import { leftOut, runAlarms } from "@/pages/run/alarms"

const ALARM = {
  number: 3,
  source: "wall",
  channel: "power",
  side: "high",
  limit: 300,
  unit: "W",
  run_must_keep: true,
  begin_ns: 5e9,
  seen_ns: 8e9,
  end_ns: null,
  worst: 320,
}

describe("alarms in the window of a run", () => {
  it("last until a reading was back, else as far as readings tell", () => {
    const [open, over] = runAlarms({ alarms: { crossed: [ALARM, { ...ALARM, end_ns: 9e9, run_must_keep: false }] } })
    expect(open).toMatchObject({ number: 3, begin: 5, end: 8, ended: false, grave: true, worst: 320 })
    expect(over).toMatchObject({ end: 9, ended: true, grave: false })
  })

  it("pass over what is none", () => {
    const crossed = [null, "x", { ...ALARM, side: "left" }, { ...ALARM, begin_ns: "1" }, { ...ALARM, source: 1 }]
    for (const alarms of [undefined, null, "none", {}, { crossed: "none" }, { crossed }]) {
      expect(runAlarms({ alarms })).toEqual([])
    }
    expect([leftOut({}), leftOut({ alarms: { left_out: 7 } })]).toEqual([0, 7])
  })
})
