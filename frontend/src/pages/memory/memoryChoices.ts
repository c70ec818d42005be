/** What the memory page can show, and its populations summed up. */

import type { Schemas } from "@/api/client"
import type { RunRow } from "@/pages/runs/verdicts"

type MemoryPoint = Schemas["MemoryPoint"]

export interface MemoryChoice {
  key: string
  server: string
  workload: string
  level: string
  /** How many different DIMM counts were measured. */
  counts: number
}

/** Server, workload and level of which more than one DIMM count was measured; the most counts first. */
export function memoryChoices(runs: readonly RunRow[]): MemoryChoice[] {
  const entries = new Map<string, { choice: Omit<MemoryChoice, "counts">; counts: Set<number> }>()
  for (const run of runs) {
    if (run.dimm_count == null || run.power == null || run.status !== "complete") continue
    const key = JSON.stringify([run.server, run.workload, run.level])
    const { server, workload, level } = run
    const entry = entries.get(key) ?? { choice: { key, server, workload, level }, counts: new Set<number>() }
    entries.set(key, entry)
    entry.counts.add(run.dimm_count)
  }
  return [...entries.values()]
    .map(({ choice, counts }) => ({ ...choice, counts: counts.size }))
    .filter((choice) => choice.counts > 1)
    .sort((a, b) => b.counts - a.counts || a.key.localeCompare(b.key))
}

/** What to show first: of this server where one is named, what was measured at the most counts. */
export const preferred = (choices: readonly MemoryChoice[], server: string): MemoryChoice | undefined =>
  choices.find((choice) => !server || choice.server === server)

export interface Population {
  configuration: string
  /** As the runs name it, whatever the bench says of it today. */
  title: string
  dimmCount: number
  memoryGib: number | null
  runs: number
  meanPowerW: number
  /** Modules by channel, as far as the slots are known. */
  channels: string
}

/** One entry per configuration, by DIMM count. */
export function summaries(points: readonly MemoryPoint[]): Population[] {
  const pointsByConfiguration = new Map<string, MemoryPoint[]>()
  for (const point of points)
    pointsByConfiguration.set(point.configuration, [...(pointsByConfiguration.get(point.configuration) ?? []), point])
  return [...pointsByConfiguration]
    .map(([configuration, all]) => ({
      configuration,
      title: all[0]!.title || configuration,
      dimmCount: all[0]!.count,
      memoryGib: all[0]!.memory_gib,
      runs: all.length,
      channels: Object.entries(all[0]!.channels ?? {})
        .map(([channel, n]) => `${channel} ${n}`)
        .join(", "),
      meanPowerW: all.reduce((sum, point) => sum + point.power.value, 0) / all.length,
    }))
    .sort((a, b) => a.dimmCount - b.dimmCount)
}
