/** Finding a workload by words, and what is said about it. */

import type { Schemas } from "@/api/client"
import { planWords as words } from "@/strings/plans"

export type Workload = Schemas["WorkloadOut"]

/** Workloads that have every word somewhere in their name, title, unit, bound or what they stand for. */
export function matching(workloads: readonly Workload[], typed: string): Workload[] {
  const wanted = typed.toLowerCase().split(/\s+/).filter(Boolean)
  const text = (one: Workload): string =>
    [one.id, one.title, one.unit, one.limited_by, one.level?.many ?? "", ...one.stands_for].join(" ").toLowerCase()
  return workloads.filter((workload) => wanted.every((word) => text(workload).includes(word)))
}

/** Unit, bound and level in a few words. */
export function facts(one: Workload): string[] {
  const level = one.level ? words.levelBy(one.level.many, one.level.full) : words.oneLevel
  return [
    words.perSecond(one.unit),
    words.limitedBy(one.limited_by),
    level,
    ...(one.level?.asks_per_s == null ? [] : [words.rate]),
    ...(one.external ? [words.external] : []),
  ]
}

/** What must come first before it can run on this machine. */
export function lacks(one: Workload): string[] {
  const names = one.missing_parameters.map((text) => text.split(":")[0]!)
  return [...(one.missing ? [one.missing] : []), ...(names.length ? [words.needsParameters(names)] : [])]
}

export const ready = (one: Workload): boolean => lacks(one).length === 0
