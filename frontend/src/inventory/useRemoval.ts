/** A thing of the bench that is about to be deleted: asked about first, deleted then, and to be had back. */

import { computed, shallowRef } from "vue"
import { problemOf } from "@/api/client"
import { useEdit } from "@/lib/edits"

type Request = Parameters<ReturnType<typeof useEdit>["send"]>[1]

export interface Removal {
  title: string
  text: string
  version: string
  request: Request
}

export function useRemoval() {
  const edit = useEdit()
  const asked = shallowRef<Removal | null>(null)
  const problem = computed(() => (edit.reason.value === null ? null : problemOf(edit.reason.value)))

  function ask(removal: Removal | null): void {
    edit.clear()
    asked.value = removal
  }

  async function remove(): Promise<void> {
    const removal = asked.value
    if (!removal) return
    const edited = await edit.send(edit.conflict.value?.version ?? removal.version, removal.request)
    if (!edited) return
    asked.value = null
    edit.offerUndo(edited)
  }

  return { ask, asked, busy: edit.busy, problem, remove }
}
