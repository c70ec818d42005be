/** Data of the break-even figure: two straight lines of watts, and the counts at which they may meet. */

import type { Schemas } from "@/api/client"
import { lineParts, type LineParts } from "./memoryGeometry"

type BreakEven = Schemas["BreakEvenOut"]
type Memory = Schemas["MemoryOut"]

const counts = (memory: Memory): number[] => memory.points.map((point) => point.dimm_count)

/** Counts shown [DIMMs]: all measured ones, and the crossing; an interval far beyond does not compress them. */
export function reach(breakEven: BreakEven, memories: readonly Memory[]): [number, number] {
  const measured = memories.flatMap(counts)
  const [first, last] = [Math.min(...measured), Math.max(...measured)]
  const crossing = breakEven.crossing?.dimms
  const far = Math.max(2 * last, crossing?.value ?? 0)
  const ends = crossing ? [crossing.low ?? 0, crossing.value, crossing.high ?? far] : []
  return [Math.max(0, Math.min(first, ...ends)), Math.min(far, Math.max(last, ...ends))]
}

export interface ServerLine {
  server: string
  memoryType: string
  parts: LineParts
  /** Power at the highest count shown, where its name is drawn [W]. */
  endW: number
  band: Memory["line"]
}

/** The line of each server over what is shown, cut where its own counts end. */
export function serverLines(breakEven: BreakEven, memories: readonly Memory[]): ServerLine[] {
  const [first, last] = reach(breakEven, memories)
  return breakEven.lines.flatMap(({ server, memory_type, watts_per_dimm, watts_without_dimms }) => {
    const memory = memories.find((candidate) => candidate.server === server)
    if (!memory) return []
    const watts = (dimms: number): number => watts_without_dimms + watts_per_dimm.value * dimms
    const ends = [first, last].map((n): Memory["line"][number] => [n, watts(n), watts(n), watts(n)])
    const parts = lineParts(ends, counts(memory))
    return [{ server, memoryType: memory_type, parts, endW: watts(last), band: memory.line }]
  })
}

/** Ends of the crossing's interval within what is shown; an end that the data do not bound lies at its edge. */
export function crossingSpan(breakEven: BreakEven, [first, last]: [number, number]): [number, number] | null {
  const crossing = breakEven.crossing?.dimms
  if (!crossing) return null
  return [Math.max(first, crossing.low ?? first), Math.min(last, crossing.high ?? last)]
}
