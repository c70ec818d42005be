/** The way of an archive into this service: chosen, looked into, imported. */

import { computed, ref, shallowRef } from "vue"
import { LARGEST_BYTES, previewArchive, useImportArchive, type ArchiveContent, type Restoration } from "@/api/archives"
import { ApiProblem } from "@/api/client"
import { archiveWords as words } from "@/strings/archives"

export function useArchiveImport() {
  const file = shallowRef<File | null>(null)
  const content = shallowRef<ArchiveContent | null>(null)
  const outcome = shallowRef<Restoration | null>(null)
  const problem = shallowRef<unknown>(null)
  const doing = ref<"looking" | "importing" | null>(null)
  const sent = ref(0)
  const bringIn = useImportArchive()

  async function attempt(what: "looking" | "importing", act: () => Promise<void>): Promise<void> {
    doing.value = what
    sent.value = 0
    problem.value = null
    await act().catch((reason: unknown) => (problem.value = reason))
    doing.value = null
  }
  const progress = (fraction: number) => (sent.value = fraction)

  function preview(chosen: File): Promise<void> {
    file.value = chosen
    content.value = outcome.value = null
    return attempt("looking", async () => {
      if (chosen.size > LARGEST_BYTES) throw new ApiProblem({ ...words.tooLarge, detail: "" }, 413)
      content.value = await previewArchive(chosen, progress)
    })
  }
  function take(own: boolean): Promise<void> {
    return attempt("importing", async () => {
      outcome.value = await bringIn.mutateAsync({ file: file.value!, own, progress })
    })
  }

  /** The action under way, in words; null: none. */
  const step = computed(() => {
    if (!doing.value) return null
    if (doing.value === "looking") return sent.value < 1 ? words.looking : words.checking
    return sent.value < 1 ? words.importing : words.recomputing
  })
  return { file, content, outcome, problem, step, sent, preview, take }
}
