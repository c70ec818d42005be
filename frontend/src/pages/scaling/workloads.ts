/** Which workloads ran at several load levels, and what a search finds. */

import type { Schemas } from "@/api/client"

export interface LeveledWorkload {
  workload: string
  levels: number
}

/** Workloads measured at two levels or more, those with most levels first. */
export function leveledWorkloads(choices: readonly Schemas["CompareChoice"][]): LeveledWorkload[] {
  const levels = new Map<string, number>()
  for (const { workload, measured } of choices) if (measured) levels.set(workload, (levels.get(workload) ?? 0) + 1)
  return [...levels]
    .filter(([, count]) => count > 1)
    .map(([workload, count]) => ({ workload, levels: count }))
    .sort((a, b) => b.levels - a.levels || a.workload.localeCompare(b.workload))
}

/** Whether a text has every word that was typed. */
export function hasWords(text: string, typed: string): boolean {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return wanted.every((word) => text.toLowerCase().includes(word))
}
