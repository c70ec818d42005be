/** What the memory figure shows: a quantity of every run against the number of modules or their capacity. */

import { t } from "@/strings"
import { memoryWords as words } from "@/strings/memory"
import type { MemoryPoint } from "./memoryGeometry"

export type MemoryQuantity = "power" | "throughput" | "efficiency"
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
    const [value, u95] = {
      power: [point.power_w, point.power_U95_w],
      throughput: [point.throughput, point.throughput_U95],
      efficiency: [point.efficiency, point.efficiency_U95],
    }[quantity]
    return at == null || value == null ? [] : [{ point, at, value, u95: u95 ?? 0 }]
  })
}

/** The fit is of watts against the number of modules and of nothing else. */
export const isFitted = (quantity: MemoryQuantity, against: Against): boolean =>
  quantity === "power" && against === "count"

export const axisName = (against: Against): string => (against === "count" ? words.xAxis : words.capacityAxis)

export function valueName(quantity: MemoryQuantity, unit: string): string {
  return quantity === "power" ? words.yAxis : `${t.quantity[quantity]} [${unit}]`
}

export const figureTitle = (quantity: MemoryQuantity, against: Against): string =>
  words.figureTitle(t.quantity[quantity], against === "count" ? words.xAxis : words.capacity)
