import { describe, expect, it } from "vitest"
import type { LoadLevels, PublishedCurve } from "@/api/scaling"
import { doubtWords, loadColumns, publishedColumns } from "@/pages/scaling/loadColumns"
import { hasWords, leveledWorkloads, unitsOf, usualProgram } from "@/pages/scaling/workloads"

const choice = (workload: string, level: string, measured: number) => ({
  workload,
  level,
  title: workload,
  measured,
  published: 1,
  opens: false,
})

describe("workloads at several levels", () => {
  it("are those measured at two or more, most levels first", () => {
    const choices = [choice("a", "100 %", 2), choice("a", "50 %", 0), choice("b", "1", 1), choice("b", "2", 1)]
    expect(leveledWorkloads([...choices, choice("c", "1", 3)])).toEqual([{ workload: "b", levels: 2 }])
  })

  it("are found by all of the words that were typed", () => {
    expect(hasWords("Sun Netra X4250 (4 × 2 GiB FB-DIMM)", " fb-dimm NETRA ")).toBe(true)
    expect(hasWords("Sun Netra X4250", "netra 8")).toBe(false)
  })
})

describe("the table of load curves", () => {
  const curve = {
    key: "s/c",
    name: "s",
    rows: [{ load_pct: 0, power_w: { value: 80, U95: 2 }, ops_per_joule: null }],
    idle_to_peak: { value: 0.310078, U95: 0.012 },
    energy_proportionality: { value: 0.641085, U95: 0.0132 },
    linear_deviation: null,
    best: { load_pct: 100, ops_per_joule: { value: 3355.1, U95: null }, alike_pct: [80, 90] },
    knee_pct: null,
    efficiency_unit: "ssj_ops/J",
  } as unknown as LoadLevels
  const shown = (id: string) => {
    const column = loadColumns([curve], false).find((candidate) => candidate.id === id)!
    return column.measured?.(curve) ?? column.text!(curve)
  }

  it("has each figure with its ±, and a dash where there is none", () => {
    expect(shown("ep")).toEqual({ value: "0.641", u: "0.013" })
    expect(shown("idle")).toEqual({ value: "31.0", u: "1.2" })
    expect(shown("idle-w")).toEqual({ value: "80.0", u: "2.0" })
    expect([shown("best"), shown("knee")]).toEqual(["100", "–"])
  })

  it("names the loads that no test tells from the best", () => {
    expect(doubtWords(curve)).toEqual(["not told from it: 80, 90"])
  })

  it("names the loads that were not tested against the best, or that no other was", () => {
    const rows = [100, 90, 80].map((load_pct) => ({ load_pct, level: `${load_pct} %`, ops_per_joule: { value: 1 } }))
    const best = { load_pct: 100, alike_pct: [80], untested_pct: [90] }
    const tested = { ...curve, rows, best } as unknown as LoadLevels
    expect(doubtWords(tested)).toEqual(["not told from it: 80", "not tested against 90"])
    const single = { ...tested, best: { ...best, alike_pct: [], untested_pct: [80, 90] } } as unknown as LoadLevels
    expect(doubtWords(single)).toEqual(["not tested against the others"])
  })

  it("says which program the curves ran that do not name it, where others name theirs", () => {
    const of = (name: string, version: string) =>
      ({ ...curve, name, program_versions: [version] }) as unknown as LoadLevels
    expect(usualProgram([of("s", "1.8"), of("t (program 2.0)", "2.0")])).toBe("1.8")
    expect(usualProgram([of("s", "1.8"), of("t", "1.8")])).toBeNull()
  })

  it("has one unit of work, that of most curves first", () => {
    const of = (efficiency_unit: string) => ({ ...curve, efficiency_unit }) as unknown as LoadLevels
    expect(unitsOf([of("a/J"), of("b/J"), of("b/J")]).map(({ value, note }) => [value, note])).toEqual([
      ["b/J", "2 configurations"],
      ["a/J", "1 configuration"],
    ])
  })

  it("names levels that are counts", () => {
    const counted = { ...curve, rows: [{ load_pct: 100, level: "8 clients" }] } as unknown as LoadLevels
    expect(loadColumns([counted], true).find(({ id }) => id === "best")!.text!(counted)).toBe("8 clients")
  })

  it("of published results has three digits and no ±", () => {
    const row = { energy_proportionality: 0.346349, idle_to_peak: null } as unknown as PublishedCurve
    const [ep, idle] = ["ep", "idle"].map((id) =>
      publishedColumns("").find((column) => column.id === id)!.measured!(row),
    )
    expect(ep).toEqual({ value: "0.346", u: null })
    expect(idle).toEqual({ value: "–", u: null })
  })
})
