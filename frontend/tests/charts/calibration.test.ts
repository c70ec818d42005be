import { describe, expect, it } from "vitest"
import { budgetBars, byShare, type BudgetLine } from "@/charts/budget/budgetBars"
import {
  broken,
  checkSegments,
  dayTicks,
  segmentSpan,
  valueExtent,
  type CheckChart,
  type CheckPoint,
} from "@/charts/calibration/controlChart"
import { spaced, withRoom } from "@/charts/labels"
import {
  curveParts,
  errorBars,
  errorExtent,
  inUnit,
  worst,
  type CalibrationPoint,
  type CurvePoint,
} from "@/charts/calibration/errorCurve"

const point = (reference_w: number, error_w: number, over: Partial<CalibrationPoint> = {}): CalibrationPoint => ({
  reference_w,
  indication_w: reference_w + error_w,
  error_w,
  U_w: 0.1,
  k: 2,
  power_factor: 1,
  reactive: "lagging",
  frequency_hz: 50,
  voltage_v: 230,
  temperature_c: 23,
  limit_w: null,
  conformity: null,
  residual_w: null,
  ...over,
})
const step = (power_w: number, error_w: number, extrapolated: boolean): CurvePoint => ({
  power_w,
  error_w: { value: error_w, low: error_w - 0.2, high: error_w + 0.2, U95: 0.2 },
  extrapolated,
})

describe("the error curve", () => {
  it("draws U about each error, in watts or per cent of the power", () => {
    const [low, high] = errorBars([point(500, 1), point(100, 0.5, { limit_w: 0.8 })], "%")
    expect(low).toMatchObject({ power: 100, error: 0.5, limit: 0.8 })
    expect(low!.low).toBeCloseTo(0.4, 12)
    expect(high!.high).toBeCloseTo(0.22, 12)
  })

  it("knows no per cent of no power", () => {
    expect(inUnit(0.1, 0, "%")).toBeNull()
    expect(errorBars([point(0, 0.1), point(10, 0.1)], "%")).toHaveLength(1)
    expect(errorBars([point(0, 0.1), point(10, 0.1)], "W")).toHaveLength(2)
  })

  it("dashes the curve outside the calibrated span and leaves no gap where it leaves it", () => {
    const curve = [step(10, 0.1, true), step(50, 0.2, false), step(500, 1, false), step(600, 1.2, true)]
    const parts = curveParts(curve, "W")
    expect(parts.map((part) => part.extrapolated)).toEqual([true, false, true])
    expect(parts[1]!.line).toEqual([
      [10, 0.1],
      [50, 0.2],
      [500, 1],
    ])
    expect(parts[2]!.line[0]).toEqual([500, 1])
  })

  it("shows zero, every bar, the limits on both sides and the band inside the span", () => {
    const bars = errorBars([point(100, 0.5, { limit_w: 0.9 }), point(500, 1)], "W")
    const parts = curveParts([step(100, 0.5, false), step(500, 1, false), step(5000, 90, true)], "W")
    expect(errorExtent(bars, parts)).toEqual([-0.9, 1.2])
  })

  it("gives the worst verdict, and none where no limit is stated", () => {
    expect(worst([point(1, 0, { conformity: "pass" }), point(2, 0, { conformity: "conditional fail" })])).toBe(
      "conditional fail",
    )
    expect(worst([point(1, 0)])).toBeNull()
  })
})

const DAY = 86_400
const reading = (day: number, power_w: number, over: Partial<CheckPoint> = {}): CheckPoint => ({
  at: new Date(day * DAY * 1000).toISOString(),
  t_s: day * DAY,
  power_w,
  sd_w: null,
  n: null,
  range: null,
  operator: "E. Bauer",
  note: "",
  by_hand: true,
  simulated: false,
  in_baseline: false,
  z: null,
  zone: null,
  violations: [],
  ...over,
})
const chart = (...segments: CheckPoint[][]): CheckChart => ({
  standard: {
    name: "bulb",
    meter: "wall",
    nominal_w: 100,
    target_w: 97,
    description: "",
    readings: 0,
    last: null,
    next_due: null,
    overdue: false,
    state: "in control",
    statement: "",
  },
  segments: segments.map((points) => ({
    baseline: {
      count: 10,
      centre_w: 100,
      s_w: 0.5,
      warning_low_w: 99,
      warning_high_w: 101,
      action_low_w: 98.5,
      action_high_w: 101.5,
    },
    missing: 0,
    refusal: null,
    points,
  })),
  drift: null,
  drift_over: 0,
})

describe("the control chart", () => {
  it("shows readings, limits and the target", () => {
    const segments = checkSegments(chart([reading(0, 100), reading(7, 102.4)]))
    expect(valueExtent(segments, 97)).toEqual([97, 102.4])
    expect(valueExtent(segments, null)).toEqual([98.5, 102.4])
  })

  it("ends the limits of one baseline halfway to the next", () => {
    const two = checkSegments(chart([reading(0, 100), reading(10, 100)], [reading(20, 100), reading(30, 100)]))
    expect(segmentSpan(two, 0)).toEqual([0, 15 * DAY])
    expect(segmentSpan(two, 1)).toEqual([20 * DAY, 30 * DAY])
  })

  it("names broken rules by weight, then newest first", () => {
    const out = { zone: "out of control" as const, violations: ["1 point beyond 3 s"] }
    const warned = { zone: "warning" as const, violations: ["beyond 2 s of the centre"] }
    const violating = broken([reading(0, 102, out), reading(7, 101, warned), reading(14, 100), reading(21, 102, out)])
    expect(violating.map((point) => point.t_s / DAY)).toEqual([21, 0, 7])
  })

  it("writes no label over another", () => {
    const label = (key: string, x: number, y: number) => ({ key, x, y, width: 50 })
    const [a, b, c, d] = [label("a", 0, 10), label("b", 40, 12), label("c", 40, 40), label("d", 60, 12)]
    expect(withRoom([a, b, c, d], [], 15)).toEqual([a, c, d])
    const markers = [
      { key: "a", x: 10, y: 14, width: 8 },
      { key: "b", x: 70, y: 14, width: 8 },
    ]
    expect(withRoom([a, b, d], markers, 15)).toEqual([a])
    expect(spaced([{ y: 20 }, { y: 0 }, { y: 5 }], 13)).toEqual([{ y: 0 }, { y: 13 }, { y: 26 }])
  })

  it("puts ticks on whole days, no more than there is room for", () => {
    const ticks = dayTicks(3.2 * DAY, 200 * DAY, 8)
    expect(ticks.length).toBeLessThanOrEqual(8)
    expect(ticks.every((tick) => tick % DAY === 0 && tick >= 3.2 * DAY && tick <= 200 * DAY)).toBe(true)
    expect(dayTicks(0.1 * DAY, 0.9 * DAY, 8)).toHaveLength(1)
  })
})

const term = (name: string, share_pct: number): BudgetLine => ({
  name,
  evaluation: "B",
  u: share_pct / 100,
  u_result: share_pct / 100,
  sensitivity: 1,
  dof: null,
  share_pct,
  note: "",
  unit: "W",
  distribution: "normal",
  parts: [],
  kind: "instrument",
})

describe("the bars of a budget", () => {
  it("come largest first and lose nothing: the small ones stand together", () => {
    const shares = [0.01, 60, 0.02, 30, 9.97]
    const bars = budgetBars(
      shares.map((share, i) => term(`t${i}`, share)),
      (n) => `${n} smaller`,
    )
    expect(bars.map((bar) => bar.name)).toEqual(["t1", "t3", "t4", "2 smaller"])
    expect(bars.at(-1)).toMatchObject({ u: null, evaluation: null })
    expect(bars.reduce((sum, bar) => sum + bar.share, 0)).toBeCloseTo(100, 9)
  })

  it("call one small term by its name", () => {
    expect(budgetBars([term("big", 99.99), term("small", 0.01)], String).map((bar) => bar.name)).toEqual([
      "big",
      "small",
    ])
  })

  it("are ten at most", () => {
    const many = Array.from({ length: 25 }, (_, i) => term(`t${i}`, 4))
    expect(budgetBars(many, (n) => `${n} smaller`)).toHaveLength(10)
    expect(byShare(many)).toHaveLength(25)
  })
})
