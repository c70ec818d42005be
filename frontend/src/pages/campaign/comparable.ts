/** The comparisons that a campaign allows: a workload at a level that several configurations have run. */

import type { CampaignRun } from "@/live/campaign"

export interface Comparable {
  workload: string
  level: string
}

/** The one with most configurations, the first of equals; null where fewer than two have run the same. */
export function comparable(runs: readonly CampaignRun[]): Comparable | null {
  const groups = new Map<string, Comparable & { places: Set<string> }>()
  for (const { workload, level, server, configuration } of runs.filter((run) => run.state === "complete")) {
    const key = JSON.stringify([workload, level])
    if (!groups.has(key)) groups.set(key, { workload, level, places: new Set() })
    groups.get(key)!.places.add(`${server}/${configuration}`)
  }
  const [best] = [...groups.values()].sort((a, b) => b.places.size - a.places.size)
  return best && best.places.size > 1 ? { workload: best.workload, level: best.level } : null
}
