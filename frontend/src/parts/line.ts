/** Watts against the number of parts as the pages Memory and Parts show them. */

import type { Schemas } from "@/api/client"

export type LinePoint = Schemas["PartPoint"] & {
  /** Memory of the run [GiB], the other axis of the Memory page. */
  capacity?: number | null
}
export type Line = Omit<Schemas["PartsOut"], "points"> & {
  points: LinePoint[]
  planted?: Schemas["MemoryOut"]["planted"]
}
export type Meeting = Pick<
  Schemas["PartBreakEvenOut"],
  "statement" | "lines" | "crossing" | "slope_difference" | "simulated" | "workload" | "level"
> & { equal_power?: Schemas["PartBreakEvenOut"]["equal_power"] }

/** Memory modules as parts that are counted. */
export function asLine(memory: Schemas["MemoryOut"]): Line {
  const { modules, kinds, points, excluded, watts_per_dimm, watts_per_dimm_dc, idle, ...same } = memory
  return {
    ...same,
    kind: "DIMM",
    part: modules,
    parts: (kinds ?? []).map(({ modules: part, counts, runs }) => ({ part, counts, runs })),
    points: points.map((point) => ({ ...point, count: point.dimm_count, capacity: point.memory_gib })),
    excluded: (excluded ?? []).map((run) => ({ ...run, count: run.dimm_count })),
    watts_per_part: watts_per_dimm,
    watts_per_part_dc: watts_per_dimm_dc,
    idle: idle ? { ...idle, watts_per_part: idle.watts_per_dimm } : null,
    rates: [],
  }
}

export function asSlope(slope: Schemas["MemorySlope"]): Schemas["PartSlope"] {
  const { modules, watts_per_dimm, ...same } = slope
  return { ...same, part: modules, watts_per_part: watts_per_dimm }
}

export function asMeeting(found: Schemas["BreakEvenOut"]): Meeting {
  return {
    ...found,
    lines: found.lines?.map(({ memory_type, watts_per_dimm, watts_without_dimms, ...same }) => ({
      ...same,
      part: memory_type,
      watts_per_part: watts_per_dimm,
      watts_without_parts: watts_without_dimms,
    })),
    crossing: found.crossing ? { ...found.crossing, count: found.crossing.dimms } : null,
  }
}
