import { mount } from "@vue/test-utils"
import { describe, expect, it } from "vitest"
import BudgetView from "@/charts/budget/BudgetView.vue"
import {
  contradicts,
  failedVerdicts,
  scatterText,
  statedFigures,
  verdictGroups,
  verdictRows,
  workAndEnergy,
} from "@/pages/run/claims"
import RunFigures from "@/pages/run/RunFigures.vue"
import type { Result } from "@/pages/runs/verdicts"

const NBSP = "\u00a0"
const verdict = (rule: string, outcome = "pass") => ({ rule, value: 1, limit: 2, unit: "%", outcome, text: "" })
const quantity = (value: number, unit: string, U95: number | null = null) => ({ value, unit, U95, budget: [] })
/** 6240 signs/s at 245 W for 240 s: 58.8 kJ, 25.469 signs/J. */
const result = (over: object = {}): Result =>
  ({
    unit: "signs",
    source: "imported: a log",
    efficiency: quantity(25.469, "signs/J", 0.21),
    power: quantity(245, "W", 1.9),
    throughput: { ...quantity(6240, "signs/s", 12), u: 6 },
    energy_j: 58_800,
    window_s: 240,
    window_begin: "2026-11-23T08:00:00+00:00",
    samples: 240,
    samples_excluded: 0,
    uncovered_pct: 0,
    full_load_power: { power: quantity(245, "W", 2.6), reason: "" },
    calibrations: [],
    verdicts: [],
    meter: "wall",
    ...over,
  }) as unknown as Result
const page = (over: object = {}) => mount(RunFigures, { props: { result: result(over) } }).text()

describe("the claims of a run", () => {
  it("are two: of the window, and of the server at full load, each with its own ±", () => {
    const text = page()
    expect(text).toContain("Over this window")
    expect(text).toContain("± 1.9")
    expect(text).toContain("Full-load power of this server")
    expect(text).toContain("± 2.6")
  })

  it("keep the ± of the window where full-load power cannot be told, and give the reason", () => {
    const reason = "The power drifted by 1.4 %. Settle longer."
    const text = page({ full_load_power: { power: null, reason } })
    expect(text).toContain("± 1.9")
    expect(text).toContain("Not available.")
    expect(text.replaceAll(/\s/g, " ")).toContain(reason)
  })

  it("state no ± of throughput where only that of counting is known, and say so", () => {
    expect(page()).not.toContain("± 12")
    expect(page()).toContain("No ±: only that of counting is known")
  })

  it("say what work took what energy", () => {
    expect(workAndEnergy(result())).toMatch(/^1\s498\s000\ssigns for 58\.80\skJ$/)
    expect(workAndEnergy(result({ energy_j: null }))).toBeNull()
  })

  it("show scatter as a standard uncertainty named u, never as ±", () => {
    const watts = (dof: number | null) => ({ ...quantity(245, "W"), scatter: { u: 0.834, dof, note: "" } })
    expect(scatterText(watts(23))).toBe(`Scatter within the run: u 0.83${NBSP}W, 23 degrees of freedom.`)
    expect(scatterText(watts(null))).toBe(`Scatter within the run: u 0.83${NBSP}W.`)
    expect(scatterText(quantity(245, "W"))).toBeNull()
  })

  it("say how much time the readings leave uncovered, where they leave any", () => {
    expect(page()).not.toContain("no readings")
    expect(page({ uncovered_pct: 75 })).toMatch(/75\s% of the window has no readings/)
  })
})

describe("figures of the source", () => {
  it("stand beside what is counted, with the difference", () => {
    // LoadGen of a published result: stated 376.512, counted 370.92 samples/s, 1.5 % apart.
    const source_figures = [
      { name: "result_samples_per_second", value: 376.512, unit: "samples/s" },
      { name: "samples counted", value: 24576, unit: "samples" },
    ]
    const shown = statedFigures(result({ throughput: quantity(370.92, "samples/s"), source_figures }))
    expect(shown.map((figure) => figure.difference)).toEqual([`+1.5${NBSP}% from the figure above`, null])
    expect(page({ source_figures })).toContain("Published by the source")
    expect(page()).not.toContain("Published by the source")
  })

  it("are nobody's publication where the load counted them here", () => {
    const source_figures = [{ name: "prompt tokens", value: 640, unit: "signs/s" }]
    const own = { source: "measured", source_figures }
    expect(statedFigures(result(own)).map((figure) => figure.difference)).toEqual([null])
    expect(page(own)).toContain("Counted beside the work")
    expect(page({ source: "imported: archive of Test", source_figures })).toContain("Counted beside the work")
    expect(page({ source: "imported: MLPerf x", source_figures })).toContain("Published by the source")
  })
})

describe("the list of verdicts", () => {
  const one = (rule: string, outcome: string, text: string, value: number | null = null) => ({
    ...verdict(rule, outcome as "pass"),
    text,
    value,
  })

  it("names every rule, those with one reason together, and failed ones first", () => {
    const power = "No power was recorded for this run."
    const all = [
      one("gaps", "not-checked", power),
      one("standstill", "pass", "The longest pause was 1 s.", 1),
      one("drift", "not-checked", power),
      one("alarms", "not-checked", "wall power was above 300 W.", 20),
      one("undisturbed", "fail", "Other programs used 66 %.", 66),
    ] as Result["verdicts"]
    expect(verdictRows(all).map(({ rules }) => rules)).toEqual([
      ["undisturbed"],
      ["standstill"],
      ["gaps", "drift"],
      ["alarms"],
    ])
  })
})

describe("verdicts on imported files", () => {
  it("stand in a group of their own", () => {
    const groups = verdictGroups([verdict("gaps"), verdict("import-errors")] as Result["verdicts"])
    expect(groups.map((group) => group.verdicts.map(({ rule }) => rule))).toEqual([["gaps"], ["import-errors"]])
    expect(verdictGroups([verdict("gaps")] as Result["verdicts"])).toHaveLength(1)
  })

  it("come first where rules failed", () => {
    const all = [verdict("drift", "fail"), verdict("gaps"), verdict("import-daemon-mean", "fail")]
    expect(failedVerdicts(all as Result["verdicts"]).map((verdict) => verdict.rule)).toEqual([
      "import-daemon-mean",
      "drift",
    ])
  })

  it("tell a log that contradicts itself from one that is only marked", () => {
    const failed = [verdict("import-daemon-mean", "fail")]
    expect(contradicts(result({ verdicts: failed, throughput: null, power: null }))).toBe(true)
    expect(contradicts(result({ verdicts: failed }))).toBe(false)
    expect(contradicts(result({ verdicts: [verdict("gaps", "fail")], throughput: null, power: null }))).toBe(false)
  })
})

describe("the page of a budget", () => {
  it("names what its lines assume and what no line holds", () => {
    const line = {
      name: "Curvature of wall",
      evaluation: "B",
      u: 0.1,
      dof: null,
      share_pct: 100,
      note: "15 % of the limit, assumed",
      value: 245,
      unit: "W",
      u_result: 0.1,
      sensitivity: 1,
      distribution: "normal",
      parts: [],
    }
    const props = { dominant: null, quantity: "Power", unit: "W", value: 245, u95: 0.2, colour: "", of: "r1" }
    const text = mount(BudgetView, {
      props: { ...props, budget: [line] as never, notCovered: ["Another run."] },
      global: { stubs: { BudgetFigure: true } },
    }).text()
    expect(text.replaceAll(/\s/g, " ")).toContain("15 % of the limit, assumed")
    expect(text).toContain("What the ± does not cover")
    expect(text).toContain("Another run.")
    expect(text).toContain("What the ± covers and what not")
    expect(text.match(/±[^c]*0\.20/)).not.toBeNull()
    expect(text).toMatch(/245\.00\sW, u 0\.10\sW/)
  })
})
