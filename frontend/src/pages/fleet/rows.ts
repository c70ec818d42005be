/** What a page of the runs of a fleet is asked for. */

import type { RowsRequest } from "@/api/fleet"
import { partOf } from "./paging"

/** As the address holds it; empty: everything. */
export interface RowsFilter {
  text: string
  lab: readonly string[]
  /** "<server>/<configuration>". */
  configuration: string
  workload: string
  level: string
  quality: string
  status: string
  kind: string
}

const SORTS = /^-?(configuration|verdict|efficiency|power|throughput|workload|repeat|created)$/
export const NEWEST = "-created"

export function rowsRequest(filter: RowsFilter, sort: string, page: number): RowsRequest {
  const [server, ...rest] = filter.configuration.split("/")
  const named = filter.configuration ? { server: server!, configuration: rest.join("/") } : {}
  const { workload, level, quality, status, kind } = filter
  const exact = Object.entries({ workload, level, quality, status, kind }).filter(([, value]) => value)
  return {
    ...(Object.fromEntries(exact) as RowsRequest),
    ...named,
    ...(filter.text.trim() ? { text: filter.text.trim() } : {}),
    ...(filter.lab.length ? { lab: [...filter.lab] } : {}),
    sort: SORTS.test(sort) ? sort : NEWEST,
    ...partOf(page),
  }
}
