/** Which runs the list shows, and how they stand together. */

import type { Annotation } from "@/api/annotations"
import { keyOf } from "@/lib/names"
import { runsWords as words } from "@/strings/runs"
import type { RunRow } from "./verdicts"

/** Empty: everything. */
export interface RunFilter {
  text: string
  status: string
  kind: string
  quality: string
  server: string
  /** "<server>/<configuration>". */
  configuration: string
  workload: string
  /** Id of the campaign. */
  campaign: string
  tag: string
}

export type Annotations = ReadonlyMap<string, Annotation>

export function filterRuns(runs: readonly RunRow[], filter: RunFilter, annotations: Annotations): RunRow[] {
  const wanted = filter.text.toLowerCase().split(/\s+/).filter(Boolean)
  const exact = [
    [filter.status, (run: RunRow) => run.status],
    [filter.kind, (run: RunRow) => run.kind],
    [filter.quality, (run: RunRow) => run.quality],
    [filter.server, (run: RunRow) => run.server],
    [filter.configuration, keyOf],
    [filter.workload, (run: RunRow) => run.workload],
    [filter.campaign, (run: RunRow) => run.campaign_id],
  ] as const
  return runs.filter((run) => {
    if (exact.some(([asked, of]) => asked && of(run) !== asked)) return false
    if (filter.tag && !annotations.get(run.run_id)?.tags.includes(filter.tag)) return false
    if (!wanted.length) return true
    const text = searched(run, annotations.get(run.run_id))
    return wanted.every((word) => text.includes(word))
  })
}

function searched(run: RunRow, annotation: Annotation | undefined): string {
  const named = [run.run_id, run.server, run.configuration, run.configuration_title, run.workload, run.level, run.meter]
  return [...named, run.campaign_id ?? "", ...(annotation?.tags ?? []), annotation?.note ?? ""].join(" ").toLowerCase()
}

export type Grouping = keyof typeof words.groups

/** Name of the group of a run, with the names of configurations by key; null: the list is not grouped. */
export function groupOf(grouping: string, names: ReadonlyMap<string, string>): ((run: RunRow) => string) | null {
  const groupings: Record<string, (run: RunRow) => string> = {
    configuration: (run) => names.get(keyOf(run)) ?? keyOf(run),
    workload: (run) => `${run.workload}, ${run.level}`,
    server: (run) => run.server,
    campaign: (run) => run.campaign_id ?? words.noCampaign,
  }
  return groupings[grouping] ?? null
}

/** How often each value occurs, by name. */
export function counted(values: readonly string[]): { value: string; count: number }[] {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => a.value.localeCompare(b.value))
}

/** The campaigns of some runs, the one that began last first. */
export function campaignsOf(runs: readonly RunRow[]): { value: string; begun: string; count: number }[] {
  const campaigns = new Map<string, { value: string; begun: string; count: number }>()
  for (const { campaign_id: value, created } of runs) {
    if (value === null) continue
    const known = campaigns.get(value)
    if (!known) campaigns.set(value, { value, begun: created, count: 1 })
    else campaigns.set(value, { value, begun: created < known.begun ? created : known.begun, count: known.count + 1 })
  }
  return [...campaigns.values()].sort((a, b) => b.begun.localeCompare(a.begun))
}

/** Tags of some runs, with on how many of them each is. */
export const tagsOf = (ids: readonly string[], annotations: Annotations): { value: string; count: number }[] =>
  counted(ids.flatMap((id) => annotations.get(id)?.tags ?? []))
