import { describe, expect, it } from "vitest"
import { createFormat } from "@/format"

const format = createFormat("en-GB", "Europe/Berlin")
const NBSP = "\u00a0"

describe("times", () => {
  it("shows UTC stamps in the reader's zone", () => {
    const stamp = Date.parse("2026-11-20T12:03:22.125Z") / 1000
    expect(format.clock(stamp)).toBe("13:03:22")
    expect(format.clockMs(stamp)).toBe("13:03:22.125")
    expect(format.zone).toBe("Europe/Berlin")
  })

  it("shows the date of a stamp only where it is another day in the reader's zone", () => {
    const [late, night] = ["2026-11-20T22:59:59Z", "2026-11-20T23:00:00Z"].map((iso) => Date.parse(iso) / 1000)
    expect(format.clockOn(late!, late! - 3600)).toBe("23:59:59")
    expect(format.clockOn(late!, night!)).toBe("20 Nov 2026, 23:59:59")
    expect(format.clockOn(night!, night! + 86_399)).toBe("00:00:00")
  })

  it("shows the days of certificates as they are, whatever the zone", () => {
    expect(createFormat("en-GB", "Pacific/Kiritimati").calendarDay("2026-11-21")).toBe("21 Nov 2026")
    expect(createFormat("en-GB", "Pacific/Pago_Pago").calendarDay("2026-11-21")).toBe("21 Nov 2026")
    expect(format.day(Date.parse("2026-11-20T23:30:00Z") / 1000)).toBe("21 Nov")
  })

  it.each([
    [0.84, `0.8${NBSP}s`],
    [59.7, `1${NBSP}min`],
    [95, `1${NBSP}min 35${NBSP}s`],
    [3600, `1${NBSP}h`],
    [7500, `2${NBSP}h 5${NBSP}min`],
  ])("a duration of %d s", (seconds, text) => {
    expect(format.duration(seconds)).toBe(text)
  })

  it.each([
    [-0.2, `0.0${NBSP}s`],
    [0.42, `0.4${NBSP}s`],
    [42, `42${NBSP}s`],
    [600, `10${NBSP}min`],
    [86_400, `24${NBSP}h`],
    [259_200, `3${NBSP}d`],
  ])("an age of %d s", (seconds, text) => {
    expect(format.age(seconds)).toBe(text)
  })
})
