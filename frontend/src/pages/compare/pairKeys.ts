/** Of which configurations every pair can be asked for. */

import { computed } from "vue"
import { figureOf, type Compare, type Group } from "@/charts/compare/points"

/** Configurations of which the service describes every pair at once. */
export const MOST_PAIRED = 60

/** Keys of the ranked rows in sight, in their order and as many as the service takes, and how many there are. */
export function pairKeys(of: () => { compare: Compare; groups: readonly Group[] }) {
  const ranked = computed(() => {
    const { compare, groups } = of()
    return groups.filter((group) => group.kind !== "published" && figureOf(group, compare.compared_by))
  })
  return {
    keys: computed(() => ranked.value.slice(0, MOST_PAIRED).map((group) => group.key)),
    all: computed(() => ranked.value.length),
  }
}
