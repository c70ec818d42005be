/** Imported results as the library lists them. */

import type { ImportedResult } from "@/api/audits"

/** Level of a figure over all loads: what has several levels is compared there. */
const OVERALL = "overall"

/** Results in whose names, source or dates every word of a text stands. */
export function matching(results: readonly ImportedResult[], text: string): ImportedResult[] {
  const wanted = text.toLocaleLowerCase().split(/\s+/).filter(Boolean)
  return results.filter((result) => {
    const { title, maker, cpu, collection, workload, source, published_on: published, available_on: sold } = result
    const held = [title, maker, cpu, collection, workload, source, published, sold].join(" ").toLocaleLowerCase()
    return wanted.every((word) => held.includes(word))
  })
}

/** The place on Compare where a result stands beside others. */
export function comparisonOf(result: ImportedResult): string {
  const query = new URLSearchParams({ workload: result.workload, at: `published:${result.id}` })
  if (result.levels > 1) query.set("level", OVERALL)
  return `/compare?${query}`
}
