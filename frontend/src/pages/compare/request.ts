/** The request to the service that the address of the Compare page encodes. */

import { compare_compare } from "@/api/defaults"
import type { QueryClient } from "@tanstack/vue-query"
import type { LocationQuery } from "vue-router"
import { choicesQuery, compareQuery, type CompareRequest } from "@/api/queries"
import { smallestOf } from "./smallest"

/** The compared figure, and the smallest difference that matters [%]. */
export const BY = "efficiency"
export const SMALLEST_PCT = String(compare_compare.smallest_pct.default)

interface Asked {
  workload: string
  level: string
  baseline: string
  by: string
  smallest: string
  /** Whether other versions of the load program are ranked too; empty: no. */
  anyVersion: string
}

/** The request; null while no workload is chosen. */
export function compareRequest({ workload, level, baseline, by, smallest, anyVersion }: Asked): CompareRequest | null {
  if (!workload) return null
  const asked: CompareRequest = { workload, level, figure: by as CompareRequest["figure"] }
  const matters = smallestOf(smallest)
  if (matters !== null) asked.smallest_pct = matters
  if (anyVersion) asked.any_version = true
  return baseline ? { ...asked, baseline } : asked
}

/** Ask what the page will ask first, so that the answers travel while the page does. */
export function askAhead(client: QueryClient, query: LocationQuery): void {
  const read = (name: string, fallback = ""): string => String([query[name]].flat()[0] ?? fallback)
  const request = compareRequest({
    workload: read("workload"),
    level: read("level"),
    baseline: read("baseline"),
    by: read("by", BY),
    smallest: read("smallest", SMALLEST_PCT),
    anyVersion: read("any-version"),
  })
  void client.prefetchQuery(choicesQuery)
  if (request) void client.prefetchQuery(compareQuery(request))
}
