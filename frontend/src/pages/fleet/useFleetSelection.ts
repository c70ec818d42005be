/** Which configurations of a fleet are seen, kept in the address: searched and chosen by facets, page by page. */

import { computed, type WritableComputedRef } from "vue"
import { useListParameter, useParameter } from "@/lib/address"
import { usePaging } from "@/lib/paging"

export const FACETS = ["lab", "model", "processor", "dimms"] as const
export type Facet = (typeof FACETS)[number]
export type Chosen = Readonly<Record<Facet, readonly string[]>>

export interface FleetSelection {
  text: string
  facets: Chosen
}

/** A selection as the service is asked for it; what chooses nothing is omitted. */
export function selectionQuery({ text, facets }: FleetSelection) {
  const asked: { text?: string; lab?: string[]; model?: string[]; processor?: string[]; dimms?: number[] } = {}
  if (text.trim()) asked.text = text.trim()
  for (const facet of ["lab", "model", "processor"] as const)
    if (facets[facet].length) asked[facet] = [...facets[facet]]
  const dimms = facets.dimms.map(Number).filter((count) => Number.isInteger(count))
  return dimms.length ? { ...asked, dimms } : asked
}

/** A choice in the address that leads back to the first page, as another choice has other pages. */
export function useFleetSelection() {
  const { page, first, choosing } = usePaging()
  const text = choosing(useParameter("q"))
  const lists = Object.fromEntries(FACETS.map((facet) => [facet, choosing(useListParameter(facet))])) as Record<
    Facet,
    WritableComputedRef<readonly string[]>
  >
  return {
    page,
    text,
    lists,
    selection: computed<FleetSelection>(() => ({
      text: text.value,
      facets: Object.fromEntries(FACETS.map((facet) => [facet, lists[facet].value])) as Chosen,
    })),
    narrowed: computed(() => Boolean(text.value) || FACETS.some((facet) => lists[facet].value.length)),
    clear: (): void => {
      text.value = ""
      for (const facet of FACETS) lists[facet].value = []
    },
    first,
  }
}
