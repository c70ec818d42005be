import { describe, expect, it } from "vitest"
import type { Schemas } from "@/api/client"
import { typedNumber } from "@/pages/calibration/fields"
import { rangeKey, shownFirst } from "@/pages/calibration/ranges"
import {
  certificateStatus,
  calibrationStatus,
  crossCalibrationStatus,
  todo,
  type MeterCalibration,
} from "@/pages/calibration/status"
import { uploadOf } from "@/pages/calibration/upload"
import { restsOn } from "@/pages/run/restsOn"
import { calibration } from "@/strings/calibration"

const meter = (over: Partial<MeterCalibration>): MeterCalibration => ({
  meter: "wall",
  model: "m",
  title: "M",
  serial: "SN-1",
  on_bench: true,
  role: "wall",
  basis: "none",
  label: "not traceable",
  certificate_id: null,
  certificate_version: null,
  status: null,
  due_on: null,
  days_left: null,
  ranges: [],
  note: null,
  ...over,
})

describe("how a meter stands", () => {
  it("says not traceable, and what to do, where nothing is known", () => {
    expect(calibrationStatus(meter({}))).toEqual({ tone: "warn", word: "Not traceable" })
    expect(todo(meter({}))).toBe(calibration.todo.none)
  })

  it("says specification where the maker's limits serve, even beside an expired certificate", () => {
    const expired = meter({ basis: "specification", certificate_id: "CAL-1", status: "expired" })
    expect(calibrationStatus(expired).word).toBe("Specification")
    expect(todo(expired)).toBe(calibration.todo.expired)
  })

  it("points to the reason where a certificate is there and does not serve", () => {
    const refused = meter({ basis: "specification", certificate_id: "CAL-1", status: "valid", note: "other range" })
    expect(todo(refused)).toBe(calibration.todo.refused)
  })

  it("says the certificate's status where it serves", () => {
    expect(calibrationStatus(meter({ basis: "certificate", status: "due" }))).toEqual({
      tone: "stale",
      word: "Due soon",
    })
    expect(todo(meter({ basis: "certificate", status: "valid" }))).toBe(calibration.todo.fine)
    expect(certificateStatus("revoked")).toEqual({ tone: "bad", word: "Revoked" })
  })
})

describe("a certificate's file", () => {
  const file = new File(["x"], "c.csv")

  it("is sent with nothing that was left empty", () => {
    expect(uploadOf(file, { dueOn: "", by: "  ", note: "lost", revise: false })).toEqual({ file })
  })

  it("is sent with the owner's words", () => {
    const fields = { dueOn: "2027-03-02", by: " E. Bauer ", note: "seen", revise: true }
    expect(uploadOf(file, fields)).toEqual({
      file,
      due_on: "2027-03-02",
      approved_by: "E. Bauer",
      approval_note: "seen",
      revise: true,
    })
  })
})

describe("numbers as people type them", () => {
  it.each([
    ["100.25", 100.25],
    ["100,25", 100.25],
    ["1 000", 1000],
    ["", null],
    ["  ", null],
    ["12 W", undefined],
    ["1.000,5", undefined],
    ["NaN", undefined],
  ])("reads %j as %j", (text, value) => {
    expect(typedNumber(text)).toBe(value)
  })
})

describe("the range shown first", () => {
  const range = (name: string, state: "as found" | "as left", in_use: boolean, steps: number): Schemas["RangeOut"] => ({
    name,
    state,
    in_use,
    full_scale_w: null,
    points: [],
    model: null,
    refusals: [],
    curve: Array.from({ length: steps }, (_, i) => ({
      power_w: i,
      error_w: { value: 0, low: 0, high: 0, U95: 0 },
      extrapolated: false,
    })),
  })

  it("serves new results and has a curve, where one does", () => {
    const all = [range("a", "as found", false, 3), range("a", "as left", true, 0), range("b", "as left", true, 3)]
    expect(rangeKey(shownFirst(all)!)).toBe("b/as left")
    expect(rangeKey(shownFirst(all.slice(0, 2))!)).toBe("a/as left")
    expect(shownFirst([])).toBeUndefined()
  })
})

describe("what a result rests on", () => {
  it("names certificate and version, and the as-found points of a recomputation", () => {
    const meter = {
      meter: "wall",
      basis: "certificate",
      certificate_id: "CAL 1",
      certificate_version: 3,
      as_found: true,
    }
    expect(restsOn(meter as Schemas["MeterCalibration"])).toEqual({
      tone: "ok",
      text: "Corrected by certificate CAL 1, version 3, as-found points",
      link: "/calibration/certificates/CAL%201",
    })
  })

  it("links to a certificate that was refused without resting on it", () => {
    const meter = { meter: "wall", basis: "none", certificate_id: "CAL-1", certificate_version: 1, as_found: false }
    const rests = restsOn(meter as Schemas["MeterCalibration"])
    expect(rests.text).toContain("Not traceable")
    expect(rests.link).toBe("/calibration/certificates/CAL-1")
  })
})

describe("how a cross-calibration stands", () => {
  it("serves until its last day, and not at all where it failed its own rules", () => {
    expect(crossCalibrationStatus({ good: true, expired: false }).word).toBe(calibration.status.valid)
    expect(crossCalibrationStatus({ good: true, expired: true })).toEqual(certificateStatus("expired"))
    expect(crossCalibrationStatus({ good: false, expired: false }).word).toBe(calibration.crossNotUsed)
  })
})
