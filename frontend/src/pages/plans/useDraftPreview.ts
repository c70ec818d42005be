/** What the plan of a form would do, asked for whenever typing has rested. */

import { watchDebounced } from "@vueuse/core"
import { computed, shallowRef, type Ref } from "vue"
import { useDraftForecast, usePlanPreview } from "@/api/plans"
import { mistakesOf } from "@/lib/edits"
import { positive } from "@/lib/positive"
import type { PlanEntry } from "./planForm"

const REST_MS = 400
/** A plan without a name can be shownFor at all the same. */
const NAMELESS = "preview"

export function useDraftPreview(plan: Ref<PlanEntry>) {
  const power = shallowRef("")
  const shownFor = computed(() => {
    const { configurations, workloads, name } = plan.value
    return configurations.length && workloads.length ? { ...plan.value, name: name || NAMELESS } : null
  })
  const asked = shallowRef(shownFor.value)
  watchDebounced(shownFor, (now) => (asked.value = now), { debounce: REST_MS })
  const askedPower = shallowRef<number | null>(null)
  watchDebounced(power, (typed) => (askedPower.value = positive(typed)), { debounce: REST_MS })
  const preview = usePlanPreview(asked)
  const forecast = useDraftForecast(asked, askedPower)
  return {
    power,
    forecast: forecast.data,
    plan: preview.data,
    enough: computed(() => asked.value !== null),
    counting: computed(() => asked.value !== null && (preview.isFetching.value || asked.value !== shownFor.value)),
    wrong: computed(() => (asked.value === null ? [] : mistakesOf(preview.error.value))),
    error: preview.error,
  }
}
