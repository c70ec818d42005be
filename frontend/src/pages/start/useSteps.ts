/** The first steps as the bench and the runs show them; null until both are known. */

import { computed } from "vue"
import { useBench, useRuns } from "@/api/queries"
import { stepsOf } from "./steps"

export function useSteps() {
  const { data: bench } = useBench()
  const { data: runs } = useRuns()
  return computed(() => (bench.value && runs.value ? stepsOf(bench.value, runs.value) : null))
}
