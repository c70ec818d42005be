/** Search for a workload by words, and its description. */

import type { Schemas } from "@/api/client"
import { planWords as words } from "@/strings/plans"

export type Workload = Schemas["WorkloadOut"]

/** Workloads that have every word somewhere in their name, title, unit, bound or meaning. */
export function matching(workloads: readonly Workload[], typed: string): Workload[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const text = (workload: Workload): string =>
    [
      workload.id,
      workload.title,
      workload.unit,
      workload.limited_by,
      workload.level?.many ?? "",
      ...workload.stands_for,
    ]
      .join(" ")
      .toLowerCase()
  return workloads.filter((workload) => wanted.every((word) => text(workload).includes(word)))
}

/** Unit, bound and level in a few words. */
export function facts(workload: Workload): string[] {
  const level = workload.level ? words.levelBy(workload.level.many, workload.level.full) : words.oneLevel
  return [
    words.perSecond(workload.unit),
    words.limitedBy(workload.limited_by),
    level,
    ...(workload.level?.asks_per_s == null ? [] : [words.rate]),
    ...(workload.external ? [words.external] : []),
  ]
}

/** Steps needed before it can run on this machine. */
export function lacks(workload: Workload): string[] {
  const names = workload.missing_parameters.map((text) => text.split(":")[0]!)
  return [...(workload.missing ? [workload.missing] : []), ...(names.length ? [words.needsParameters(names)] : [])]
}

export const ready = (workload: Workload): boolean => lacks(workload).length === 0
