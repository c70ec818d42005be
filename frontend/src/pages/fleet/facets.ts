/** The facets of a fleet as the service counts them. */

import type { Schemas } from "@/api/client"
import type { Facet } from "./useFleetSelection"

export type Facets = Schemas["FacetsOut"]

export interface FacetValues {
  values: { value: string; count: number }[]
  /** How many more there are than the service listed. */
  more: number
}

/** The values of one facet, the most frequent first. */
export function facetOf(facets: Facets | undefined, facet: Facet): FacetValues {
  const counted = facets?.[facet]
  if (!counted) return { values: [], more: 0 }
  return { values: counted.values.map(({ value, n }) => ({ value, count: n })), more: counted.more }
}
