/** The workload and level that a page shows, kept in the address. */

import { computed, watch, type Ref } from "vue"
import type { Schemas } from "@/api/client"
import { useParameter } from "@/lib/address"
import { compareWords } from "@/strings/compare"

const SEPARATOR = "\u001f"
type Choice = Schemas["CompareChoice"]
const keyOf = ({ workload, level }: Pick<Choice, "workload" | "level">): string => [workload, level].join(SEPARATOR)

/** `changed`: another one was chosen, of other configurations. */
export function useWorkloadChoice(choices: Ref<readonly Choice[] | undefined>, changed: () => void) {
  const workload = useParameter("workload")
  const level = useParameter("level")
  const chosen = computed({
    get: () => (workload.value ? keyOf({ workload: workload.value, level: level.value }) : ""),
    set: (value) => {
      const another = Boolean(workload.value)
      const [nextWorkload, nextLevel] = value.split(SEPARATOR)
      workload.value = nextWorkload ?? ""
      level.value = nextLevel ?? ""
      if (another) changed()
    },
  })
  const options = computed(() =>
    (choices.value ?? []).map((choice) => ({
      value: keyOf(choice),
      label: choice.title.includes(choice.level) ? choice.title : `${choice.title}, ${choice.level}`,
      note: compareWords.choiceNote(choice.measured, choice.published),
    })),
  )
  // Without a choice in the address the one with most measurements is shown.
  watch(
    [choices, chosen],
    () => {
      if (chosen.value || !choices.value?.length) return
      chosen.value = keyOf([...choices.value].sort((a, b) => b.measured - a.measured || b.published - a.published)[0]!)
    },
    { immediate: true },
  )
  return { workload, level, chosen, options }
}
