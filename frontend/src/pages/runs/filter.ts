/** Which runs the list shows, kept in the address, and what the service is asked for. */

import { computed, type WritableComputedRef } from "vue"
import type { RowsRequest } from "@/api/queries"
import { useListParameter, useParameter } from "@/lib/address"
import { keyOf } from "@/lib/names"
import { partOf, usePaging } from "@/lib/paging"
import { runsWords as words } from "@/strings/runs"
import type { RunRow } from "./verdicts"

/** Choice that filters nothing. */
export const ANY = "any"
/** What runs are filtered by, in the order offered. */
export const FACETS = [
  "tag",
  "server",
  "configuration",
  "workload",
  "level",
  "campaign",
  "quality",
  "status",
  "kind",
] as const
export type Facet = (typeof FACETS)[number]

/** Empty: everything. */
export interface RunFilter extends Record<Facet, string> {
  text: string
  lab: readonly string[]
}

export const NEWEST = "-created"
const SORTS = /^-?(configuration|verdict|efficiency|power|throughput|workload|repeat|created)$/
/** Runs on one page. */
export const PAGE_SIZE = 200

/** A filter as the service reads it; what filters nothing is omitted. */
export function filterQuery({ text, lab, configuration, campaign, ...exact }: RunFilter): RowsRequest {
  const [server, ...rest] = configuration.split("/")
  const asked = {
    ...exact,
    text: text.trim(),
    campaign_id: campaign,
    ...(configuration ? { server: server!, configuration: rest.join("/") } : {}),
  }
  const filtered = Object.fromEntries(Object.entries(asked).filter(([, value]) => value)) as RowsRequest
  return lab.length ? { ...filtered, lab: [...lab] } : filtered
}

/** A page of the list. */
export const rowsRequest = (filter: RunFilter, sort: string, group: string, page: number): RowsRequest => ({
  ...filterQuery(filter),
  sort: SORTS.test(sort) ? sort : NEWEST,
  ...(group in words.groups && group !== "none" ? { group: group as RowsRequest["group"] } : {}),
  ...partOf(page, PAGE_SIZE),
})

/** The filter in the address; each choice leads back to the first page. */
export function useFilter() {
  const { page, choosing } = usePaging()
  const text = choosing(useParameter("q"))
  const lab = choosing(useListParameter("lab"))
  const facets = Object.fromEntries(FACETS.map((facet) => [facet, choosing(useParameter(facet, ANY))])) as Record<
    Facet,
    WritableComputedRef<string>
  >
  const chosen = (facet: Facet): string => (facets[facet].value === ANY ? "" : facets[facet].value)
  return {
    page,
    text,
    lab,
    facets,
    sort: choosing(useParameter("sort", NEWEST)),
    group: choosing(useParameter("group", "none")),
    filter: computed((): RunFilter => ({
      text: text.value,
      lab: lab.value,
      ...(Object.fromEntries(FACETS.map((facet) => [facet, chosen(facet)])) as Record<Facet, string>),
    })),
    narrowed: computed(() => Boolean(text.value || lab.value.length) || FACETS.some(chosen)),
    clear: (): void => {
      text.value = ""
      lab.value = []
      for (const facet of FACETS) facets[facet].value = ANY
    },
  }
}

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
