/** Saving, looking at and deleting one plan of the bench. */

import { computed, shallowRef, watch } from "vue"
import { api } from "@/api/client"
import { useEdit, type EditParameters, type Entries, type Mistake } from "@/lib/edits"
import { planWords as words } from "@/strings/plans"
import { toForm, type Known, type PlanForm } from "./planForm"
import { planOf, usePlanDraft } from "./usePlanDraft"

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

/**
 * `name` is the plan's in the bench, undefined for a new one; `from` the one that a new one is a copy of, `begin` what
 * any other new one begins with.
 */
export function usePlanEditor(
  entries: Entries,
  name?: string,
  from?: string,
  begin: (now: Entries) => Known = () => ({}),
) {
  const edit = useEdit()
  const existing = (name && planOf(entries, name)) || {}
  const original = from ? planOf(entries, from) : undefined
  const formOf = (now: Entries): PlanForm => {
    if (name) return toForm(planOf(now, name) ?? {})
    return toForm(original ? { ...original, name: words.copyOf(from!) } : begin(now))
  }
  const key = name ?? (from ? `new from ${from}` : "new")
  const draft = usePlanDraft({ version: entries.version, known: existing, form: formOf(entries) }, key)
  const nameless = shallowRef<Mistake[]>([])
  const mistakes = computed(() => [...nameless.value, ...edit.mistakes.value])

  // What was said of a field is over once the form is another one.
  watch(
    () => draft.state.form,
    () => {
      nameless.value = []
      if (!edit.conflict.value) edit.clear()
    },
    { deep: true },
  )

  const put = (parameters: EditParameters) => {
    const path = { name: name ?? draft.plan.value.name }
    return api.PUT("/api/bench/plans/{name}", { params: { ...parameters, path }, body: draft.plan.value })
  }
  /** A change elsewhere in the bench does not concern this plan. */
  const untouched = (now: Entries): boolean => same((name && planOf(now, name)) || {}, draft.state.known)

  /** A new plan must have a name, and must not take the place of another. */
  function named(now: Entries): boolean {
    const wanted = draft.plan.value.name
    const message = !wanted ? words.needsName : name !== wanted && planOf(now, wanted) ? words.taken : null
    nameless.value = message ? [{ path: ["name"], message, where: "", line: null }] : []
    return message === null
  }

  /** Its name, once it is saved; null where it was refused. */
  async function save(now: Entries): Promise<string | null> {
    if (!named(now)) return null
    const plan = draft.plan.value
    const edited = await edit.send(draft.state.version, put, { untouched })
    if (!edited) return null
    draft.fill(edited.version, plan)
    draft.forget()
    edit.offerUndo(edited)
    return plan.name
  }

  /** What saving would change; null where the plan has mistakes. */
  async function difference(now: Entries): Promise<string | null> {
    if (!named(now)) return null
    const conflict = edit.conflict.value
    const version = conflict?.version ?? draft.state.version
    const edited = await edit.send(version, put, { check: true, untouched })
    if (edited) edit.conflict.value = conflict
    return edited?.diff ?? null
  }

  /** `after` runs once it has been brought back. */
  async function remove(after: () => void): Promise<boolean> {
    const request = (parameters: EditParameters) =>
      api.DELETE("/api/bench/plans/{name}", { params: { ...parameters, path: { name: name! } } })
    const edited = await edit.send(draft.state.version, request, { untouched })
    if (!edited) return false
    draft.fill(edited.version, draft.state.known)
    draft.forget()
    edit.offerUndo(edited, after)
    return true
  }

  /** Take the plan as it is in the bench now. */
  function follow(now: Entries): void {
    draft.fill(now.version, (name && planOf(now, name)) || {}, formOf(now))
    edit.clear()
  }

  /** Save over what the bench holds now. */
  function insist(): void {
    draft.state.version = edit.conflict.value!.version
    edit.clear()
  }

  return { draft, edit, mistakes, save, difference, remove, follow, insist }
}
