/** The selection of the comparison, kept in the address. */

import { computed } from "vue"
import { useListParameter, useParameter } from "@/lib/address"
import { FACETS, type Chosen, type Facet, type Selection } from "./selection"

export const TOPS = ["", "10", "20", "50"] as const

export function useSelection() {
  const text = useParameter("q")
  const top = useParameter("top")
  const only = useParameter("only")
  const pins = useListParameter("pin")
  const facets = Object.fromEntries(FACETS.map((facet) => [facet, useListParameter(facet)])) as Record<
    Facet,
    ReturnType<typeof useListParameter>
  >
  const selection = computed<Selection>(() => ({
    text: text.value,
    facets: Object.fromEntries(FACETS.map((facet) => [facet, facets[facet].value])) as Chosen,
    pins: new Set(pins.value),
    onlyPins: only.value === "pins",
    top: Number(top.value) > 0 ? Number(top.value) : null,
  }))
  const narrowed = computed(
    () => Boolean(text.value || top.value || only.value) || FACETS.some((facet) => facets[facet].value.length),
  )
  function toggle(list: { value: readonly string[] }, value: string): void {
    list.value = list.value.includes(value) ? list.value.filter((other) => other !== value) : [...list.value, value]
  }
  return {
    text,
    top,
    only,
    selection,
    narrowed,
    choose: (facet: Facet, value: string) => toggle(facets[facet], value),
    pin: (key: string) => toggle(pins, key),
    clear: () => {
      text.value = top.value = only.value = ""
      for (const facet of FACETS) facets[facet].value = []
    },
  }
}
