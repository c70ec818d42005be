/** What the memory page can show: of an appliance servers with their workloads, of a fleet workloads. */

import { computed, watch, type Ref } from "vue"
import { useMemoryChoices } from "@/api/memory"
import { useBench, useChoices } from "@/api/queries"
import { useParameter } from "@/lib/address"
import { onFleet } from "@/lib/fleet"
import { useWorkloadChoice } from "@/pages/compare/useWorkloadChoice"
import { memoryWords as words } from "@/strings/memory"
import { levelsOf } from "./levels"
import { offered, ofWork, preferred, several, workKey, works, type MemoryChoice } from "./memoryChoices"

interface Choice {
  value: string
  label: string
}

interface Offered {
  query: { data: Ref<unknown>; error: Ref<unknown>; refetch: () => unknown }
  /** Workload and level. */
  chosen: Ref<string>
  options: Ref<(Choice & { note?: string })[]>
  chosenServer: Ref<string>
  /** Servers that ran it; empty: one is chosen elsewhere. */
  servers: Ref<(Choice & { note?: string })[]>
  titleOf: (server: string) => string
  /** Levels of the shown server and workload at which several counts were measured. */
  levels: Ref<string[]>
  /** Other servers that ran the same at several counts. */
  others: Ref<Choice[]>
}

function useServerChoice(): Offered {
  const query = useMemoryChoices()
  const { data: bench } = useBench()
  const [server, workload, level, modules] = [
    useParameter("server"),
    useParameter("workload"),
    useParameter("level"),
    useParameter("modules"),
  ]
  const all = computed(() => query.data.value ?? [])
  const here = computed(() => ({ server: server.value, workload: workload.value, level: level.value }))
  function show(choice: MemoryChoice | undefined): void {
    if (!choice) return
    server.value = choice.server
    workload.value = choice.workload
    level.value = choice.level
    modules.value = ""
  }
  const chosen = computed({
    get: () => (workload.value ? workKey(here.value) : ""),
    set: (key) => show(ofWork(all.value, key, server.value)),
  })
  const chosenServer = computed({
    get: () => server.value,
    set: (id) => show(all.value.find((choice) => choice.server === id && workKey(choice) === chosen.value)),
  })
  watch(
    [all, chosen],
    () => {
      if (!workload.value || !server.value) show(preferred(all.value, here.value))
    },
    { immediate: true },
  )
  const titleOf = (id: string): string => bench.value?.servers.find((server) => server.id === id)?.title ?? id
  return {
    query,
    chosen,
    options: computed(() =>
      works(all.value, here.value).map(({ key, workload, level, servers }) => ({
        value: key,
        label: `${workload}, ${level}`,
        note: words.servers(servers),
      })),
    ),
    chosenServer,
    servers: computed(() =>
      offered(all.value, here.value)
        .filter((choice) => workKey(choice) === chosen.value)
        .map(({ server, counts }) => ({ value: server, label: titleOf(server), note: words.counts(counts.length) })),
    ),
    titleOf,
    levels: computed(() => levelsOf(all.value, server.value, workload.value)),
    others: computed(() =>
      several(all.value)
        .filter((choice) => choice.server !== server.value && workKey(choice) === chosen.value)
        .map((choice) => ({ value: choice.server, label: titleOf(choice.server) })),
    ),
  }
}

/** Servers of a fleet are too many for a list: one is chosen by its slope. */
function useFleetChoice(): Offered {
  const query = useChoices()
  const [server, modules, page] = [useParameter("server"), useParameter("modules"), useParameter("page")]
  const measured = computed(() => query.data.value?.filter((choice) => choice.measured > 0))
  const { chosen, options } = useWorkloadChoice(measured, () => (server.value = modules.value = page.value = ""))
  const titleOf = (id: string): string => id
  const none = { servers: computed(() => []), levels: computed(() => []), others: computed(() => []) }
  return { query, chosen, options, chosenServer: server, titleOf, ...none }
}

export const useMemoryChoice = onFleet ? useFleetChoice : useServerChoice
