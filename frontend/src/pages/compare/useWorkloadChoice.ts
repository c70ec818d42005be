/** The workload and level that a page shows, kept in the address. */

import { computed, watch, type Ref } from "vue"
import type { Schemas } from "@/api/client"
import { useParameter } from "@/lib/address"
import { onFleet } from "@/lib/fleet"
import { remember, remembered } from "@/lib/remembered"
import { compareWords } from "@/strings/compare"

const SEPARATOR = "\u001f"
/** Where the browser keeps what a person chose last, of an appliance and of a fleet apart. */
const SHOWN = onFleet ? "wattmark.fleet.shown" : "wattmark.shown"
type Choice = Schemas["CompareChoice"]
const keyOf = ({ workload, level }: Pick<Choice, "workload" | "level">): string => [workload, level].join(SEPARATOR)

/** `changed`: a person chose another one, of other configurations. */
export function useWorkloadChoice(choices: Ref<readonly Choice[] | undefined>, changed: () => void) {
  const workload = useParameter("workload")
  const level = useParameter("level")
  function show(value: string): void {
    const [nextWorkload, nextLevel] = value.split(SEPARATOR)
    workload.value = nextWorkload ?? ""
    level.value = nextLevel ?? ""
  }
  const chosen = computed({
    get: () => (workload.value ? keyOf({ workload: workload.value, level: level.value }) : ""),
    set: (value) => {
      show(value)
      changed()
      remember(SHOWN, value)
    },
  })
  const options = computed(() =>
    (choices.value ?? []).map((choice) => ({
      value: keyOf(choice),
      label: choice.title.includes(choice.level) ? choice.title : `${choice.title}, ${choice.level}`,
      note: compareWords.choiceNote(choice.measured, choice.published),
    })),
  )
  // Without a choice in the address what a person chose last is shown, else what the service opens with.
  watch(
    [choices, chosen],
    () => {
      if (chosen.value || !choices.value?.length) return
      const last = remembered(SHOWN)
      const first =
        choices.value.find((choice) => keyOf(choice) === last) ?? choices.value.find((choice) => choice.opens)
      show(keyOf(first ?? choices.value[0]!))
    },
    { immediate: true },
  )
  return { workload, level, chosen, options }
}
