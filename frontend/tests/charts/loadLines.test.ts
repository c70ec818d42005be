import { describe, expect, it } from "vitest"
import type { LoadLevels } from "@/api/scaling"
import { coloured, loadLines } from "@/charts/scaling/loadLines"

const row = (load_pct: number, power: number, work: number | null, U95: number | null = 1) => ({
  load_pct,
  traceable: true,
  power_w: { value: power, low: U95 && power - U95, high: U95 && power + U95, U95 },
  ops_per_joule: work === null ? null : { value: work, low: null, high: null, U95: null },
  relative_power: { value: power / 200, U95: null },
})
const curve = (key: string, more: object = {}): LoadLevels =>
  ({
    key,
    name: "",
    kind: "measured",
    best: { load_pct: 50 },
    knee_pct: 50,
    rows: [row(100, 200, 10), row(50, 90, 11, null), row(0, 40, null)],
    ...more,
  }) as unknown as LoadLevels

describe("curves over load", () => {
  it("have idle among the watts, but no work per joule there", () => {
    expect(loadLines([curve("a")], "power")[0]!.points.map((point) => point.load)).toEqual([100, 50, 0])
    expect(loadLines([curve("a")], "efficiency")[0]!.points.map((point) => point.load)).toEqual([100, 50])
  })

  it("draw an interval where it is known, and none where it is not", () => {
    const [line] = loadLines([curve("a")], "power")
    expect(line!.points.map((point) => point.interval)).toEqual([[199, 201], null, [39, 41]])
  })

  it("mark best level and knee of work per joule alone", () => {
    expect(loadLines([curve("a")], "efficiency")[0]!.best?.value).toBe(11)
    expect(loadLines([curve("a")], "power")[0]!.best).toBeNull()
  })

  it("need two points, and say where nothing covers the meter", () => {
    expect(loadLines([curve("a", { rows: [row(100, 200, 10)] })], "power")).toEqual([])
    const loose = curve("b", { rows: [{ ...row(100, 200, 10), traceable: false }, row(0, 40, null)] })
    expect(loadLines([loose], "power")[0]!.traceable).toBe(false)
  })
})

describe("the curves in colour", () => {
  const keys = Array.from({ length: 12 }, (_, i) => `k${i}`)

  it("are those that are pinned, else the first eight", () => {
    expect(coloured(keys, ["k9", "gone"])).toEqual(["k9"])
    expect(coloured(keys, [])).toEqual(keys.slice(0, 8))
  })
})
