/** Which workloads ran at several load levels, and what a search finds. */

import type { Schemas } from "@/api/client"
import type { LoadLevels } from "@/api/scaling"
import type { Choice } from "@/components/UiSelect.vue"
import { scalingWords as words } from "@/strings/scaling"

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

/** Units of work per joule as choices, that of most curves first. */
export function unitsOf(curves: readonly LoadLevels[]): Choice[] {
  const counts = new Map<string, number>()
  for (const { efficiency_unit: unit } of curves) counts.set(unit, (counts.get(unit) ?? 0) + 1)
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .map(([unit, count]) => ({ value: unit, label: unit, note: words.curves(count) }))
}

/** The version of the load program whose curves do not name it, where others name theirs; null where none do. */
export function usualProgram(curves: readonly LoadLevels[]): string | null {
  const named = curves.some(({ name }) => /\(program [^)]*\)$/.test(name))
  const usual = curves.find(({ name, program_versions: versions }) => versions?.length && !name.includes("(program "))
  return named ? (usual?.program_versions?.[0] ?? null) : null
}

/** Whether a text has every word that was typed. */
export function hasWords(text: string, typed: string): boolean {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return wanted.every((word) => text.toLowerCase().includes(word))
}
