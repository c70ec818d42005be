/** Watts against the number of parts as the pages Memory and Parts show them. */

import type { Schemas } from "@/api/client"

/** A run of a line; of memory with its capacity, the other axis of that page. */
export type LinePoint = Schemas["PartPoint"] & Partial<Pick<Schemas["MemoryPoint"], "memory_gib">>
export type Line = Omit<Schemas["PartsOut"], "points"> &
  Partial<Pick<Schemas["MemoryOut"], "planted">> & { points: LinePoint[] }
export type Meeting = Schemas["PartBreakEvenOut"]
