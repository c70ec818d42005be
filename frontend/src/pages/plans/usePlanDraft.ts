/** The state of the editor: the form, what it was filled from, whether they differ; a reload finds it again. */

import { computed, reactive, ref, watch } from "vue"
import type { Entries } from "@/lib/edits"
import { keepDraft, readDraft, type Draft } from "./draft"
import { toForm, toPlan, type Known } from "./planForm"

export const planOf = (entries: Entries, name: string): Known | undefined =>
  entries.bench.plans.find((one) => one.name === name)

/** `source` fills the form where the tab keeps no draft of that key; the form of a copy holds more than is known. */
export function usePlanDraft(source: Draft, key: string) {
  const kept = readDraft(key)
  const restored = ref(kept !== null)
  const state: Draft = reactive(kept ?? source)
  const clean = computed(() => JSON.stringify(toForm(state.known)))
  const dirty = computed(() => JSON.stringify(state.form) !== clean.value)
  const plan = computed(() => toPlan(state.form, state.known))

  function fill(version: string, known: Known): void {
    Object.assign(state, { version, known, form: toForm(known) })
    restored.value = false
  }

  /** Forget the draft: it is saved, or not wanted. */
  const forget = (): void => keepDraft(key, null)

  watch(state, () => keepDraft(key, dirty.value ? state : null), { deep: true })
  return { state, restored, dirty, plan, fill, forget }
}
