/** The workload and level that a page of a fleet shows, kept in the address. */

import { computed, watch, type Ref } from "vue"
import type { Schemas } from "@/api/client"
import { useParameter } from "@/lib/address"
import { compareWords } from "@/strings/compare"

const SEPARATOR = "\u001f"
type Choice = Schemas["CompareChoice"]

export function useWorkloadChoice(choices: Ref<Choice[] | undefined>) {
  const workload = useParameter("workload")
  const level = useParameter("level")
  const measured = computed(() => (choices.value ?? []).filter((choice) => choice.measured > 0))
  const keyOf = (choice: Pick<Choice, "workload" | "level">): string => [choice.workload, choice.level].join(SEPARATOR)
  const chosen = computed({
    get: () => (workload.value ? keyOf({ workload: workload.value, level: level.value }) : ""),
    set: (value) => {
      const [nextWorkload, nextLevel] = value.split(SEPARATOR)
      workload.value = nextWorkload ?? ""
      level.value = nextLevel ?? ""
    },
  })
  const options = computed(() =>
    measured.value.map((choice) => ({
      value: keyOf(choice),
      label: choice.title.includes(choice.level) ? choice.title : `${choice.title}, ${choice.level}`,
      note: compareWords.choiceNote(choice.measured, 0),
    })),
  )
  // Without a choice in the address the one with most measurements is shown.
  watch(
    measured,
    (known) => {
      if (workload.value || !known.length) return
      chosen.value = keyOf(known.reduce((most, choice) => (choice.measured > most.measured ? choice : most)))
    },
    { immediate: true },
  )
  return { workload, level, chosen, options }
}
