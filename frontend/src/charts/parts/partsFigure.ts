/** What the figure of parts shows: a quantity of every run against the number of parts, or against the capacity. */

import type { Schemas } from "@/api/client"
import type { Line, LinePoint } from "@/parts/line"
import { t } from "@/strings"
import type { CountedWords } from "@/strings/parts"
import type { Steps } from "./partsGeometry"

export type PartsQuantity = "power" | "idle" | "throughput" | "efficiency"
export type Against = "count" | "capacity"

export interface Placed {
  point: LinePoint
  at: number
  value: number
  /** Expanded uncertainty; 0: not known, so no bar. */
  u95: number
}

/** Runs that have both the quantity and the place on the axis. */
export function placedPoints(points: readonly LinePoint[], quantity: PartsQuantity, against: Against): Placed[] {
  return points.flatMap((point) => {
    const at = against === "count" ? point.count : point.memory_gib
    const measured = point[quantity === "idle" ? "idle_power" : quantity]
    return at == null || measured == null ? [] : [{ point, at, value: measured.value, u95: measured.U95 ?? 0 }]
  })
}

export interface Apart {
  run_id: string
  at: number
  value: number
}

/** Runs that the line does not count, where watts against the count are shown. */
export function excludedPoints(line: Pick<Line, "excluded">, quantity: PartsQuantity, against: Against): Apart[] {
  if (quantity !== "power" || against !== "count") return []
  return (line.excluded ?? []).flatMap(({ run_id, count: at, power }) =>
    at === null || power === null ? [] : [{ run_id, at, value: power.value }],
  )
}

export interface Fit {
  line: Steps
  slope: Schemas["Interval95"] | null
}

/** The fit of what is shown: of watts, loaded or idle, against the number of parts and of nothing else. */
export function fitOf(
  line: Pick<Line, "line" | "watts_per_part" | "idle">,
  quantity: PartsQuantity,
  against: Against,
): Fit {
  if (against === "count" && quantity === "power") return { line: line.line, slope: line.watts_per_part }
  if (against === "count" && quantity === "idle")
    return { line: line.idle?.line ?? [], slope: line.idle?.watts_per_part ?? null }
  return { line: [], slope: null }
}

/** Name of a quantity on the page. */
export const quantityName = (quantity: PartsQuantity, words: CountedWords): string =>
  quantity === "idle" ? words.idle : t.quantity[quantity]

export const axisName = (against: Against, words: CountedWords): string =>
  against === "count" ? words.xAxis : words.capacityAxis

export function valueName(quantity: PartsQuantity, unit: string, words: CountedWords): string {
  return quantity === "power" ? words.yAxis : `${quantityName(quantity, words)} [${unit}]`
}

export const figureTitle = (quantity: PartsQuantity, against: Against, words: CountedWords): string =>
  words.figureTitle(quantityName(quantity, words), against === "count" ? words.againstCount : words.capacity)
