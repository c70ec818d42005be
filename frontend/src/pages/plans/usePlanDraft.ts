/** The state of the editor: the form, what it was filled from, whether they differ; a reload finds it again. */

import { computed, reactive, ref, watch } from "vue"
import type { Entries } from "@/lib/edits"
import { keepDraft, readDraft, type Draft } from "./draft"
import { toForm, toPlan, type Known } from "./planForm"

export const planOf = (entries: Entries, name: string): Known | undefined =>
  entries.bench.plans.find((plan) => plan.name === name)

/** `source` fills the form where the tab keeps no draft of that key; the form of a copy holds more than is known. */
export function usePlanDraft(source: Draft, key: string) {
  const stored = readDraft(key)
  const restored = ref(stored !== null)
  const state: Draft = reactive(stored ?? source)
  const clean = computed(() => JSON.stringify(toForm(state.known)))
  const dirty = computed(() => JSON.stringify(state.form) !== clean.value)
  /** What a new plan was filled with by itself is nobody's loss. */
  const begun = ref(stored ? null : JSON.stringify(source.form))
  const touched = computed(() => dirty.value && JSON.stringify(state.form) !== begun.value)
  const plan = computed(() => toPlan(state.form, state.known))

  function fill(version: string, saved: Known, form = toForm(saved)): void {
    Object.assign(state, { version, known: saved, form })
    begun.value = JSON.stringify(form)
    restored.value = false
  }

  /** Forget the draft: it is saved, or not wanted. */
  const forget = (): void => keepDraft(key, null)

  watch(state, () => keepDraft(key, touched.value ? state : null), { deep: true })
  return { state, restored, dirty, touched, plan, fill, forget }
}
