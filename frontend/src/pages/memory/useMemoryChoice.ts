/** What the memory page can show: of an appliance servers with their workloads, of a fleet workloads. */

import { computed, watch, type Ref } from "vue"
import { useBench, useChoices, useRuns } from "@/api/queries"
import { useParameter } from "@/lib/address"
import { onFleet } from "@/lib/fleet"
import { useWorkloadChoice } from "@/pages/compare/useWorkloadChoice"
import { fleetWords } from "@/strings/fleet"
import { memoryWords as words } from "@/strings/memory"
import { memoryChoices, preferred } from "./memoryChoices"
import { levelsOf } from "./levels"

interface Choice {
  value: string
  label: string
}

interface Offered {
  query: { data: Ref<unknown>; error: Ref<unknown>; refetch: () => unknown }
  /** What is chosen, in a word. */
  label: string
  chosen: Ref<string>
  options: Ref<(Choice & { note?: string })[]>
  titleOf: (server: string) => string
  /** Levels of the shown server and workload at which several counts were measured. */
  levels: Ref<string[]>
  /** Other servers that ran the same at several counts. */
  others: Ref<Choice[]>
}

function useServerChoice(): Offered {
  const query = useRuns()
  const { data: bench } = useBench()
  const [server, workload, level, modules] = [
    useParameter("server"),
    useParameter("workload"),
    useParameter("level"),
    useParameter("modules"),
  ]
  const choices = computed(() => memoryChoices(query.data.value ?? []))
  const chosen = computed({
    get: () =>
      choices.value.find((c) => c.server === server.value && c.workload === workload.value && c.level === level.value)
        ?.key ?? "",
    set: (key) => {
      const next = choices.value.find((choice) => choice.key === key)
      if (!next) return
      server.value = next.server
      workload.value = next.workload
      level.value = next.level
      modules.value = ""
    },
  })
  watch(
    [choices, chosen],
    () => {
      if (!workload.value) chosen.value = preferred(choices.value, server.value)?.key ?? ""
    },
    { immediate: true },
  )
  const titleOf = (id: string): string => bench.value?.servers.find((server) => server.id === id)?.title ?? id
  return {
    query,
    label: words.choose,
    chosen,
    options: computed(() =>
      choices.value.map((choice) => ({
        value: choice.key,
        label: `${titleOf(choice.server)}: ${choice.workload}, ${choice.level}`,
        note: words.counts(choice.counts),
      })),
    ),
    titleOf,
    levels: computed(() => levelsOf(choices.value, server.value, workload.value)),
    others: computed(() =>
      choices.value
        .filter((c) => c.server !== server.value && c.workload === workload.value && c.level === level.value)
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
  const none = { levels: computed(() => []), others: computed(() => []) }
  return { query, label: fleetWords.memory.choose, chosen, options, titleOf, ...none }
}

export const useMemoryChoice = onFleet ? useFleetChoice : useServerChoice
