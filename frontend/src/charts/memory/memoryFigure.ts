/** What the memory figure shows: a quantity of every run against the number of modules or their capacity. */

import type { Schemas } from "@/api/client"
import { t } from "@/strings"
import { memoryWords as words } from "@/strings/memory"
import type { Line, MemoryPoint } from "./memoryGeometry"

export type MemoryQuantity = "power" | "idle" | "throughput" | "efficiency"
export type Against = "count" | "capacity"

export interface Placed {
  point: MemoryPoint
  at: number
  value: number
  /** Expanded uncertainty; 0: not known, so no bar. */
  u95: number
}

/** Runs that have both the quantity and the place on the axis. */
export function memoryPoints(points: readonly MemoryPoint[], quantity: MemoryQuantity, against: Against): Placed[] {
  return points.flatMap((point) => {
    const at = against === "count" ? point.dimm_count : point.memory_gib
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
export function excludedPoints(memory: Schemas["MemoryOut"], quantity: MemoryQuantity, against: Against): Apart[] {
  if (quantity !== "power" || against !== "count") return []
  return (memory.excluded ?? []).flatMap(({ run_id, dimm_count: at, power }) =>
    at === null || power === null ? [] : [{ run_id, at, value: power.value }],
  )
}

export interface Fit {
  line: Line
  slope: Schemas["Interval95"] | null
}

/** The fit of what is shown: of watts, loaded or idle, against the number of modules and of nothing else. */
export function fitOf(memory: Schemas["MemoryOut"], quantity: MemoryQuantity, against: Against): Fit {
  if (against === "count" && quantity === "power") return { line: memory.line, slope: memory.watts_per_dimm }
  if (against === "count" && quantity === "idle")
    return { line: memory.idle?.line ?? [], slope: memory.idle?.watts_per_dimm ?? null }
  return { line: [], slope: null }
}

/** Name of a quantity on the page. */
export const quantityName = (quantity: MemoryQuantity): string =>
  quantity === "idle" ? words.idle : t.quantity[quantity]

export const axisName = (against: Against): string => (against === "count" ? words.xAxis : words.capacityAxis)

export function valueName(quantity: MemoryQuantity, unit: string): string {
  return quantity === "power" ? words.yAxis : `${quantityName(quantity)} [${unit}]`
}

export const figureTitle = (quantity: MemoryQuantity, against: Against): string =>
  words.figureTitle(quantityName(quantity), against === "count" ? words.xAxis : words.capacity)
