/** What the memory page can show, and its populations summed up. */

import type { Schemas } from "@/api/client"

type MemoryPoint = Schemas["MemoryPoint"]

/** A server with a workload and level, and the DIMM counts that it ran them with; those with most counts come first. */
export type MemoryChoice = Schemas["MemoryChoice"]
/** What the address names; empty where it does not. */
export type Named = Pick<MemoryChoice, "server" | "workload" | "level">

const SEPARATOR = "\u001f"
export const workKey = ({ workload, level }: Pick<Named, "workload" | "level">): string =>
  [workload, level].join(SEPARATOR)

/** What a line can be fitted through. */
export const several = (choices: readonly MemoryChoice[]): MemoryChoice[] =>
  choices.filter((choice) => choice.counts.length > 1)

/** Those that can be fitted, and what the address names though it has a single count, or none that is known. */
export function offered(choices: readonly MemoryChoice[], named: Named): MemoryChoice[] {
  const isNamed = (choice: MemoryChoice) => choice.server === named.server && workKey(choice) === workKey(named)
  const isUnknown = named.server && named.workload && !choices.some(isNamed)
  return [
    ...choices.filter((choice) => choice.counts.length > 1 || isNamed(choice)),
    ...(isUnknown ? [{ ...named, counts: [] }] : []),
  ]
}

/** Workloads with their levels in the order of the service, and how many servers each has. */
export function works(choices: readonly MemoryChoice[], named: Named) {
  const counted = new Map<string, { key: string; workload: string; level: string; servers: number }>()
  for (const choice of offered(choices, named)) {
    const key = workKey(choice)
    const { workload, level } = choice
    const entry = counted.get(key) ?? { key, workload, level, servers: 0 }
    counted.set(key, { ...entry, servers: entry.servers + 1 })
  }
  return [...counted.values()]
}

/** The same server under another workload and level, or the first that ran it. */
export function ofWork(choices: readonly MemoryChoice[], key: string, server: string): MemoryChoice | undefined {
  const of = several(choices).filter((choice) => workKey(choice) === key)
  return of.find((choice) => choice.server === server) ?? of[0]
}

/** What to show first: of what the address names, as far as it does, what was measured at most counts. */
export function preferred(choices: readonly MemoryChoice[], named: Named): MemoryChoice | undefined {
  const fits = (choice: MemoryChoice) =>
    (!named.server || choice.server === named.server) && (!named.workload || workKey(choice) === workKey(named))
  const [first, second] = [several(choices).find(fits), choices.find(fits)]
  return first ?? (named.server ? second : undefined)
}

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
