/** Curves of configurations over their load levels, with the marks of peak and knee. */

import type { Schemas } from "@/api/client"

export type Sweep = Schemas["SweepOut"]
export type SweepQuantity = "efficiency" | "throughput" | "power" | "response"

export interface SweepPoint {
  level: number
  value: number
  /** 95 % interval; null: unknown. */
  interval: [number, number] | null
}

export interface SweepCurve {
  key: string
  title: string
  simulated: boolean
  points: SweepPoint[]
  peak: SweepPoint | null
  /** The best figure is at the highest level: the true peak may lie beyond. */
  atEdge: boolean
  knee: SweepPoint | null
}

/** One curve per configuration that has the quantity at two levels or more; power and response time have no peak. */
export function sweepCurves(sweeps: readonly Sweep[], quantity: SweepQuantity): SweepCurve[] {
  const curves = sweeps.map((sweep) => {
    const { key, title, simulated, levels } = sweep.scaling
    const points = levels.flatMap((level) => point(level, quantity) ?? [])
    const marks = quantity === "efficiency" || quantity === "throughput" ? sweep[quantity] : null
    const at = (level: number | null | undefined) => points.find((point) => point.level === level) ?? null
    const atEdge = marks?.peak_at_edge ?? false
    return { key, title, simulated, points, peak: at(marks?.peak), atEdge, knee: at(marks?.knee) }
  })
  return curves.filter((curve) => curve.points.length > 1)
}

function point(level: Schemas["ScalingLevel"], quantity: SweepQuantity): SweepPoint | null {
  if (quantity === "response") {
    return level.response_s == null ? null : { level: level.count, value: level.response_s * 1000, interval: null }
  }
  const figure = { efficiency: level.efficiency, throughput: level.throughput, power: level.power_w }[quantity]
  if (!figure) return null
  const interval: SweepPoint["interval"] = figure.complete ? [figure.low, figure.high] : null
  return { level: level.count, value: figure.value, interval }
}

export function sweepUnit(sweeps: readonly Sweep[], quantity: SweepQuantity): string {
  const first = sweeps[0]?.scaling
  const units = { efficiency: first?.efficiency_unit, throughput: first?.throughput_unit, power: "W", response: "ms" }
  return units[quantity] ?? ""
}
