/** Which runs the list shows. */

import { kindOf, type Result } from "./verdicts"

export interface RunFilter {
  text: string
  status: string
  kind: string
}

export function filterRuns(runs: readonly Result[], filter: RunFilter): Result[] {
  const words = filter.text.toLowerCase().split(/\s+/).filter(Boolean)
  return runs.filter((run) => {
    if (filter.status && run.status !== filter.status) return false
    if (filter.kind && kindOf(run) !== filter.kind) return false
    const hay = [run.run_id, run.server, run.configuration, run.configuration_title, run.workload, run.level, run.meter]
    const text = hay.join(" ").toLowerCase()
    return words.every((word) => text.includes(word))
  })
}
