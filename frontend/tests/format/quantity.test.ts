import { describe, expect, it } from "vitest"
import { createFormat, inverseUnit, NONE, perLongWork } from "@/format"
import { uncertaintyDecimals } from "@/format/quantity"

const en = createFormat("en", "UTC")
const de = createFormat("de", "UTC")
const NBSP = "\u00a0"
const THIN = "\u202f"

describe("a value and its uncertainty", () => {
  // Examples of the house's rules for numbers: the last digit is shared, the uncertainty has two significant digits.
  it.each([
    [245.3124, 1.87, "W", `245.3 ± 1.9${NBSP}W`],
    [25.4711, 0.2093, "signs/J", `25.47 ± 0.21${NBSP}signs/J`],
    [1101.2828341, 1.4963, "W", `1${THIN}101.3 ± 1.5${NBSP}W`],
    [93371.4, 1234, "samples/s", `93${THIN}400 ± 1${THIN}200${NBSP}samples/s`],
    [0.03925, 0.00032, "J/sign", `0.03925 ± 0.00032${NBSP}J/sign`],
    [7, 10.4, "W", `7 ± 10${NBSP}W`],
  ])("%d with U95 %d", (value, U95, unit, text) => {
    expect(en.measuredText(value, U95, unit)).toBe(text)
  })

  it("does not gain a digit when the uncertainty rounds up to the next decade", () => {
    expect(uncertaintyDecimals(0.0996)).toBe(2)
    expect(en.measured(2.34567, 0.0996)).toEqual({ value: "2.35", u: "0.10" })
    expect(en.measured(245.37, 9.96)).toEqual({ value: "245", u: "10" })
  })

  it("uses the reader's decimal sign and a thin space for thousands", () => {
    expect(de.measuredText(12345.678, 1.94, "W")).toBe(`12${THIN}345,7 ± 1,9${NBSP}W`)
    expect(de.decimalSign).toBe(",")
  })

  it("never shows an unknown or impossible uncertainty as a number", () => {
    for (const u of [null, undefined, Number.NaN, 0, -1, Number.POSITIVE_INFINITY])
      expect(en.measured(188, u).u).toBeNull()
    expect(en.measured(188, null).value).toBe("188")
    expect(en.measured(1101.2828341, null).value).toBe(`1${THIN}100`)
    // Three digits, as of the figures beside it: 29.4 and 30.0.
    expect(en.measured(30.0312, null).value).toBe("30.0")
    expect(en.measured(99.96, null).value).toBe("100")
    expect(en.measured(0, null).value).toBe("0")
  })

  it.each([
    [13336.2111, 0.0089, `13${THIN}300`, null],
    [124529.2197, 0.0012, `125${THIN}000`, null],
    [99.96, 1.2, "100.0", "1.2"],
    [12.04, 1.4, "12.0", "1.4"],
    [7, null, "7.00", null],
  ])("that holds that of counting alone gives %d ± %d no more than three digits", (value, U95, text, u) => {
    expect(en.partly({ value, U95, unit: "signs/s" })).toEqual({ value: text, u })
  })

  it("has no ± where it is a standard uncertainty, which is called u", () => {
    expect(en.standardText(245.3124, 0.93, "W")).toBe(`245.31${NBSP}W, u 0.93${NBSP}W`)
    expect(en.standardText(245.3124, null, "W")).toBe(`245${NBSP}W`)
  })

  // The ratio to three digits: 1.05, 0.987, 2.35; 1.00 is no difference.
  it.each([
    [1.0537, "+5"],
    [0.98654, "\u22121.3"],
    [2.3456, "+135"],
    [1.0004, "0"],
  ])("shows the ratio %d without an interval as %s %%", (ratio, text) => {
    expect(en.bareDifference(ratio)).toBe(text)
  })

  it("shows what is missing as a dash without a unit", () => {
    expect(en.measuredText(null, 1, "W")).toBe(NONE)
    expect(en.measuredText(Number.NaN, 1, "W")).toBe(NONE)
    expect(en.live(null, "W")).toBe(NONE)
  })

  it("writes a true minus sign and no negative zero", () => {
    expect(en.fixed(-5.12, 1)).toBe("\u22125.1")
    expect(en.fixed(-0, 1)).toBe("0.0")
    expect(en.measuredText(-0.3, 860, "%")).toBe(`0 ± 860${NBSP}%`)
    expect(en.fixed(-0.04, 1)).toBe("0.0")
  })
})

describe("numbers without uncertainty", () => {
  it("end at the digit that their rounding reaches", () => {
    // 6240 signs/s (to 1) over 245 W (to 1): 25.469... with a rounding of about 0.05
    expect(en.rounded(25.4694, 0.052)).toBe("25.47")
    expect(en.rounded(57.032, 0.15)).toBe("57.0")
    expect(en.rounded(25302, 0.5)).toBe(`25${THIN}302`)
    expect(en.rounded(10778, 0)).toBe(`10${THIN}778`)
  })

  it("invents no digits", () => {
    expect(en.atMost(57.3, 5)).toBe("57.3")
    expect(en.asPrinted(1689.3)).toBe(`1${THIN}689.3`)
    expect(en.asPrinted(10778)).toBe(`10${THIN}778`)
  })

  it("says per kJ or MJ what is done of long work", () => {
    // MLPerf Training v4.0, bert on one node: 1,843.07 kJ per training.
    const shown = perLongWork({ value: 1 / 1_843_070, unit: "trainings/J", U95: 1e-8 })
    expect(shown.unit).toBe("trainings/MJ")
    expect(shown.value).toBeCloseTo(0.54257, 5)
    expect(shown.U95).toBeCloseTo(0.01, 9)
    for (const plain of [
      { value: 63.3, unit: "signs/J" },
      { value: 0.002, unit: "runs/J" },
      { value: 1e-9, unit: "W" },
    ])
      expect(perLongWork(plain as never)).toEqual(plain)
  })

  it("shows live values as the displays of such instruments do", () => {
    expect(en.live(236.449, "W")).toBe("236.4")
    expect(en.live(1.0612, "A")).toBe("1.061")
    expect(en.live(5401, "RPM")).toBe(`5${THIN}401`)
  })

  it("labels ticks with as many decimals as tell them apart", () => {
    expect(en.ticks([20, 22.5, 25])).toEqual(["20.0", "22.5", "25.0"])
    expect(en.ticks([0, 50, 100])).toEqual(["0", "50", "100"])
    expect(en.ticks([-0.02, 0, 0.02])).toEqual(["\u22120.02", "0.00", "0.02"])
  })

  it("does not tell very small p-values apart", () => {
    expect(en.p(0.00004)).toBe("p < 0.0001")
    expect(en.p(0.0004)).toBe("p = 0.0004")
    expect(en.p(0.0312)).toBe("p = 0.031")
    expect(en.p(0.61)).toBe("p = 0.61")
  })
})

describe("units", () => {
  it("turns an efficiency into its energy per operation", () => {
    expect(inverseUnit("signs/J")).toBe("J/sign")
    expect(inverseUnit("queries/J")).toBe("J/query")
    expect(inverseUnit("J/stream")).toBeNull()
  })
})
