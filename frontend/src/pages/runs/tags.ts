/** Tags of some runs. */

import type { Annotation } from "@/api/annotations"

/** With on how many of the runs each is, by name. */
export function tagsOf(ids: readonly string[], annotations: ReadonlyMap<string, Annotation>) {
  const counts = new Map<string, number>()
  for (const tag of ids.flatMap((id) => annotations.get(id)?.tags ?? [])) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return [...counts].map(([value, count]) => ({ value, count })).sort((a, b) => a.value.localeCompare(b.value))
}
