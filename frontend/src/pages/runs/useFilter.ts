/** The filter of the list of runs, kept in the address. */

import { computed, type ComputedRef, type WritableComputedRef } from "vue"
import { useParameter } from "@/lib/address"
import type { RunFilter } from "./filter"

/** Choice that filters nothing. */
export const ANY = "any"

export function useFilterParameters(): Record<keyof RunFilter, WritableComputedRef<string>> {
  return {
    text: useParameter("q"),
    status: useParameter("status", ANY),
    kind: useParameter("kind", ANY),
    quality: useParameter("quality", ANY),
    server: useParameter("server", ANY),
    configuration: useParameter("configuration", ANY),
    workload: useParameter("workload", ANY),
    campaign: useParameter("campaign", ANY),
    tag: useParameter("tag", ANY),
  }
}

export function useFilter(): ComputedRef<RunFilter> {
  const parameters = useFilterParameters()
  return computed(() => {
    const read = (name: keyof RunFilter) => (parameters[name].value === ANY ? "" : parameters[name].value)
    return {
      text: parameters.text.value,
      status: read("status"),
      kind: read("kind"),
      quality: read("quality"),
      server: read("server"),
      configuration: read("configuration"),
      workload: read("workload"),
      campaign: read("campaign"),
      tag: read("tag"),
    }
  })
}
