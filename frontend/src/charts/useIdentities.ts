/** Markers of configurations, in the order of the bench. */

import { computed, type ComputedRef } from "vue"
import { useBench } from "@/api/queries"
import { identities, type Identity } from "./identity"

export function useIdentities(keys: () => readonly string[]): ComputedRef<ReadonlyMap<string, Identity>> {
  const { data: bench } = useBench()
  return computed(() => {
    const benchKeys = (bench.value?.servers ?? []).flatMap((server) =>
      server.configurations.map((configuration) => `${server.id}/${configuration.id}`),
    )
    return identities(benchKeys, keys())
  })
}
