import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { toCsv } from "@/charts/figure/save"
import { PHASE_TINTS } from "@/charts/traces/overlays"
import { tracesSvg } from "@/charts/traces/svg"

describe("a figure's table as CSV", () => {
  it("quotes as RFC 4180 asks and leaves unknown numbers empty", () => {
    const text = toCsv({
      columns: ["Name", "Power [W]"],
      rows: [
        ['2 × Xeon, "as built"', 245.25],
        ["two\nlines", null],
        ["gap", Number.NaN],
      ],
    })
    expect(text).toBe('Name,Power [W]\r\n"2 × Xeon, ""as built""",245.25\r\n"two\nlines",\r\ngap,\r\n')
  })
})

describe("traces as SVG", () => {
  const lane = {
    id: "power",
    title: "Power",
    units: ["W"],
    series: [
      {
        id: "1",
        label: "Wall",
        unit: "W",
        token: "--q-power",
        dash: [],
        key: "m/power",
        step: null,
        period: 1,
        quiet: false,
        simulated: false,
        t: [0, 1, 2, 3],
        mean: [100, null, 120, 110],
        minimum: [99, null, 119, 109],
        maximum: [101, null, 121, 111],
        samplesPerBucket: 10,
        totalSamples: 40,
      },
    ],
  }
  const overlays = { phases: [], window: { begin: 1, end: 2, guard: 0.1 }, excluded: [[1.5, 118]] as const }
  const svg = tracesSvg([lane], { begin: 0, end: 3 }, overlays, 'A < B & "C"')

  it("is well-formed, with the words escaped", () => {
    const parsed = new DOMParser().parseFromString(svg, "image/svg+xml")
    expect(parsed.querySelector("parsererror")).toBeNull()
    expect(svg).toContain("A &lt; B &amp;")
  })

  it("breaks the line at a gap and marks what did not count", () => {
    const line = /<path d="([^"]+)" fill="none" stroke="var\(--q-power\)"/.exec(svg)?.[1] ?? ""
    expect(line.match(/M/g)).toHaveLength(2)
    expect(svg).toContain('stroke="var(--status-bad)"')
  })

  it("tints every phase with a colour that both themes define, because paper shows any other as black", () => {
    const phases = Object.keys(PHASE_TINTS).map((name, at) => ({
      name: name as keyof typeof PHASE_TINTS,
      begin_s: at / 10,
      end_s: (at + 1) / 10,
    }))
    const drawn = tracesSvg([lane], { begin: 0, end: 3 }, { ...overlays, phases }, "")
    const tints = [...drawn.matchAll(/fill="var\((--phase-[\w-]+)\)"/g)].map(([, token]) => token!)
    const tokens = readFileSync("src/styles/tokens.css", "utf8")
    expect(tints).toHaveLength(phases.length)
    for (const tint of tints) expect(tokens.split(`${tint}: rgb(`), tint).toHaveLength(3)
  })

  it("draws a reading between gaps as a dot, for no line reaches it", () => {
    expect(svg.match(/<circle/g)).toHaveLength(1)
  })
})
