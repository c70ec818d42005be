import { describe, expect, it } from "vitest"
import { limitRows, type LimitSpan } from "@/charts/traces/limits"
import { tracesSvg } from "@/charts/traces/svg"

const span = (device: string, kind: LimitSpan["kind"], cause: string, begin_s: number, end_s: number): LimitSpan => ({
  device,
  kind,
  cause,
  begin_s,
  end_s,
})
const LIMITS = [
  span("CPU package 0", "power", "power limit", 10, 20),
  span("CPU package 0", "power", "power limit", 30, 31),
  span("GPU gpu0", "heat", "thermal slowdown by hardware", 5, 6),
]

describe("limits that were reached", () => {
  it("have a row for each device and limit, with every time", () => {
    expect(limitRows(LIMITS)).toEqual([
      {
        label: "CPU package 0: power limit",
        token: "--status-warn",
        spans: [
          { begin: 10, end: 20 },
          { begin: 30, end: 31 },
        ],
      },
      {
        label: "GPU gpu0: thermal slowdown by hardware",
        token: "--status-bad",
        spans: [{ begin: 5, end: 6 }],
      },
    ])
    expect(limitRows([])).toEqual([])
  })

  it("stand under the lanes of the figure on paper", () => {
    const overlays = { phases: [], window: null, excluded: [] }
    const height = (svg: string): number => Number(/height="(\d+)"/.exec(svg)![1])
    const without = tracesSvg([], { begin: 0, end: 100 }, overlays, "A run")
    const svg = tracesSvg([], { begin: 0, end: 100 }, { ...overlays, limits: LIMITS }, "A run")
    expect(height(svg) - height(without)).toBe(2 * 20)
    expect(svg).toContain("GPU gpu0: thermal slowdown by hardware")
    // 100 s span 784 px from 64 px on: 10 s are 78.4 px.
    expect(svg).toContain('<rect x="142.4" y="')
    expect(svg).toContain('width="78.4" height="6" fill="var(--status-warn)"')
  })
})
