import { describe, expect, it } from "vitest"
import { energyText, spanAddress, spanOfAddress, spanRows, spanText, workOf, type Span } from "@/pages/run/span"

const quantity = (value: number, unit: string, U95: number | null) => ({
  value,
  unit,
  u: U95 === null ? null : U95 / 2,
  k95: U95 === null ? null : 2,
  dof: null,
  U95,
})
const METER: Span["meters"][number] = {
  meter: "wall",
  title: "A meter",
  role: "wall",
  simulated: false,
  power: quantity(245.31, "W", 1.9),
  energy: quantity(24_531, "J", 190),
  minimum_w: 240.12,
  maximum_w: 251,
  sd_w: 1.234,
  readings: 99,
  excluded: 0,
  missing_s: 0,
  gaps: 0,
  notes: [],
}
const SPAN: Span = {
  run_id: "r1",
  begin_s: 1_700_000_000,
  end_s: 1_700_000_100,
  server: { power: METER.power!, energy: METER.energy!, notes: [] },
  simulated: false,
  meters: [METER],
  throughput: quantity(2000, "signs/s", 20),
  efficiency: quantity(8.153, "signs/J", 0.064),
  energy_per_op: quantity(0.12265, "J/sign", 0.001),
  work_notes: [],
}

describe("a span of a run", () => {
  it("has a row for each meter, with ± on the last digit of the mean", () => {
    expect(spanRows(SPAN)).toEqual([
      {
        meter: "wall",
        title: "A meter",
        cells: [
          "245.3 ± 1.9\u00a0W",
          "24.53 ± 0.19\u00a0kJ",
          "240.1\u00a0W",
          "251.0\u00a0W",
          "1.2\u00a0W",
          "99",
          "none",
        ],
        notes: [],
      },
    ])
  })

  it("says what is missing and why there is no mean", () => {
    const note = "wall gave no good reading for 41 s of 70 s"
    const lost = { ...METER, power: null, energy: null, missing_s: 41, gaps: 2, excluded: 3, notes: [note] }
    const [row] = spanRows({ ...SPAN, meters: [lost] })
    expect(row!.cells.slice(0, 2)).toEqual(["–", "–"])
    expect(row!.cells.slice(5)).toEqual(["99, 3 excluded", "41\u00a0s in 2 gaps"])
    expect(row!.notes[0]).toContain("no good reading")
  })

  it("adds several wall meters up in a row of their own, but not a wall meter and a BMC", () => {
    const second = { ...METER, meter: "wall-b" }
    expect(spanRows({ ...SPAN, meters: [METER, second] }).map((row) => row.meter)).toEqual([
      "All wall meters",
      "wall",
      "wall-b",
    ])
    expect(spanRows({ ...SPAN, meters: [METER, { ...second, role: "bmc" }] })).toHaveLength(2)
  })

  it("shows energy per work only where work per joule is below a hundredth", () => {
    expect(workOf(SPAN).map((figure) => figure.label)).toEqual(["Throughput", "Work per joule"])
    const small = { ...SPAN, efficiency: quantity(0.004, "runs/J", 0.0001), energy_per_op: quantity(250, "J/runs", 6) }
    expect(workOf(small).at(-1)).toEqual({ label: "Energy per work", text: "250.0 ± 6.0\u00a0J/run" })
  })

  it("leaves as text with its times in UTC, whatever the reader's zone", () => {
    const text = spanText(SPAN, "4 FB-DIMMs, rsa, all")
    expect(text.split("\n").slice(0, 2)).toEqual([
      "4 FB-DIMMs, rsa, all",
      "Run r1, 2023-11-14T22:13:20.000Z to 2023-11-14T22:15:00.000Z, 1\u00a0min 40\u00a0s long",
    ])
    expect(text).toContain("wall: Mean power 245.3 ± 1.9\u00a0W; Energy 24.53 ± 0.19\u00a0kJ; Minimum 240.1")
    expect(text).toContain("Work per joule 8.153 ± 0.064\u00a0signs/J")
  })

  it("says as text too that a simulator gave it", () => {
    expect(spanText({ ...SPAN, simulated: true }, "4 FB-DIMMs").split("\n")[0]).toBe("4 FB-DIMMs (simulated)")
    expect(spanText(SPAN, "4 FB-DIMMs")).not.toContain("simulated")
  })

  it("has no ± where none is known", () => {
    expect(energyText(quantity(24_531, "J", null))).toBe("24.5\u00a0kJ")
    expect(energyText(null)).toBe("–")
  })

  it("stands in the address, and what is no span is none", () => {
    const span = { begin: 1_700_000_000.125, end: 1_700_000_010 }
    expect(spanOfAddress(spanAddress(span))).toEqual(span)
    expect([spanAddress(null), spanOfAddress(""), spanOfAddress("5~5"), spanOfAddress("x~9")]).toEqual([
      "",
      null,
      null,
      null,
    ])
  })
})
