/** What the plan of a form would do, asked for whenever typing has rested. */

import { computed, type Ref } from "vue"
import { usePlanPreview } from "@/api/plans"
import { mistakesOf } from "@/lib/edits"
import { debounced } from "./debounced"
import type { PlanEntry } from "./planForm"

const REST_MS = 400
/** A plan without a name can be looked at all the same. */
const NAMELESS = "preview"

export function useLook(plan: Ref<PlanEntry>) {
  const looked = computed(() => {
    const { configurations, workloads, name } = plan.value
    return configurations.length && workloads.length ? { ...plan.value, name: name || NAMELESS } : null
  })
  const asked = debounced(looked, REST_MS)
  const preview = usePlanPreview(asked)
  return {
    plan: preview.data,
    enough: computed(() => asked.value !== null),
    counting: computed(() => asked.value !== null && (preview.isFetching.value || asked.value !== looked.value)),
    wrong: computed(() => (asked.value === null ? [] : mistakesOf(preview.error.value))),
    error: preview.error,
  }
}
