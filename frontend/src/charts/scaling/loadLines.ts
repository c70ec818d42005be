/** Curves over load as a figure draws them, and which of them are in colour. */

import type { LoadLevels } from "@/api/scaling"

export type LoadQuantity = "efficiency" | "power" | "relative"
export const LOAD_QUANTITIES = ["efficiency", "power", "relative"] as const

export interface LoadPoint {
  load: number
  value: number
  /** 95 % interval; null: unknown. */
  interval: [number, number] | null
}

export interface LoadLine {
  key: string
  name: string
  kind: LoadLevels["kind"]
  traceable: boolean
  /** By falling load. */
  points: LoadPoint[]
  best: LoadPoint | null
  knee: LoadPoint | null
}

type Row = LoadLevels["rows"][number]

/** A line for each curve that has the quantity; only work per joule has a best level and a knee. */
export function loadLines(curves: readonly LoadLevels[], quantity: LoadQuantity): LoadLine[] {
  const lines = curves.map((curve) => {
    const points = curve.rows.flatMap((row) => pointOf(row, quantity) ?? [])
    const at = (load: number | null | undefined) =>
      (quantity === "efficiency" && points.find((point) => point.load === load)) || null
    return {
      key: curve.key,
      name: curve.name || curve.key,
      kind: curve.kind,
      traceable: curve.kind === "published" || curve.rows.every((row) => row.traceable),
      points,
      best: at(curve.best?.load_pct),
      knee: at(curve.knee_pct),
    }
  })
  return lines.filter((line) => line.points.length > 1)
}

function pointOf(row: Row, quantity: LoadQuantity): LoadPoint | null {
  if (quantity === "relative") {
    const { value, U95 } = row.relative_power
    return { load: row.load_pct, value, interval: U95 == null ? null : [value - U95, value + U95] }
  }
  const figure = quantity === "power" ? row.power_w : row.ops_per_joule
  if (!figure) return null
  const { value, low, high } = figure
  return { load: row.load_pct, value, interval: low == null || high == null ? null : [low, high] }
}

/** Curves that can be told apart in a figure. */
export const MOST_COLOURED = 8

/** Keys of the curves in colour: those that are pinned, else the first of the list. */
export function coloured(keys: readonly string[], pins: readonly string[]): string[] {
  const pinned = pins.filter((key) => keys.includes(key))
  return (pinned.length ? pinned : keys).slice(0, MOST_COLOURED)
}
