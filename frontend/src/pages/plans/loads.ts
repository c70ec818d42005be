/** Ready-made loads of a plan: full load alone, or the levels that each of its workloads can be brought to. */

import { toForm, type Known, type PlanForm } from "./planForm"
import type { Workload } from "./workloads"

export type Loads = "full" | "levels"
export const LOADS: readonly Loads[] = ["full", "levels"]

/** Workloads whose rate can be set: shares of a calibrated maximum, as SPECpower has them. */
export const rated = (workloads: readonly Workload[]): Workload[] =>
  workloads.filter((workload) => workload.level?.asks_per_s != null)
/** Workloads that declare a curve of threads, processes or clients instead. */
export const swept = (workloads: readonly Workload[]): Workload[] =>
  workloads.filter((workload) => workload.level?.asks_per_s == null && workload.level?.sweep.length)

/** What a plan says to measure its workloads at several loads; empty where none of them has any. */
export function leveled(workloads: readonly Workload[]): Known {
  const [shares, counts] = [rated(workloads).map(({ id }) => id), swept(workloads).map(({ id }) => id)]
  // The form fills the other fields of the rule with their defaults.
  const graduated = { workloads: shares.length === workloads.length ? [] : shares } as NonNullable<Known["graduated"]>
  return {
    ...(shares.length ? { graduated } : {}),
    ...(counts.length ? { workload_levels: Object.fromEntries(counts.map((id) => [id, ["sweep", "all"]])) } : {}),
  }
}

/** The form with these loads; everything else stays. */
export function withLoads(form: PlanForm, loads: Loads, workloads: readonly Workload[]): PlanForm {
  const { levels, workload_levels, graduated } = toForm(loads === "levels" ? leveled(workloads) : {})
  return { ...form, levels, workload_levels, graduated }
}

/** The loads that the form has; null: own values. Where no workload has several levels, full load. */
export function loadsOf(form: PlanForm, workloads: readonly Workload[]): Loads | null {
  const state = ({ levels, workload_levels, graduated }: PlanForm): string =>
    JSON.stringify([levels, workload_levels, graduated])
  return LOADS.find((loads) => state(withLoads(form, loads, workloads)) === state(form)) ?? null
}
