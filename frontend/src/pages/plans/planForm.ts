/** A plan as its entry in the bench file, and as the fields of its form. */

import type { operations } from "@/api/schema"
import {
  choice,
  duration,
  flag,
  level,
  levels,
  levelsByName,
  names,
  number,
  numbers,
  optional,
  record,
  rows,
  text,
  unlessNone,
  type FormOf,
  type Shape,
} from "./codec"

export type PlanEntry = operations["bench_put_plan"]["requestBody"]["content"]["application/json"]
/** What stands in the bench file; nothing for a plan that is new. */
export type Known = Readonly<Partial<PlanEntry>>

/** Every field of a plan, with the default that the service has for it. */
export const SHAPE = {
  name: text(),
  title: text(),
  configurations: names(),
  workloads: names(),
  levels: levels("all"),
  workload_levels: levelsByName(),
  graduated: optional({
    workloads: names(),
    percent: numbers([100, 90, 80, 70, 60, 50, 40, 30, 20, 10]),
    calibrate: number(3),
    offer: number(),
    active_idle: flag(true),
  }),
  exclude: rows({ configuration: text(), workload: text(), level: level() }),
  repeats: number(3),
  repeat_until: optional({ efficiency_ci_pct: number(1), at_most: number(10) }),
  between_repeats: choice<"nothing" | "reboot" | "re-seat">("nothing"),
  repeat_failed: number(1),
  order: choice<"as-listed" | "random" | "blocked">("as-listed"),
  seed: number(1),
  together: flag(),
  stop: optional({ gain_below_pct: number(2), over_levels: number(2) }),
  time_budget_s: duration(),
  idle_s: duration(30),
  idle_after_s: duration(0),
  sync_pattern: flag(),
  sync_pulses_s: numbers([3, 4, 5, 7, 4, 3, 7, 5, 3]),
  ramp_s: duration(0),
  settle_s: duration(30),
  settle: optional({ over_s: duration(60), at_least_s: duration(30), at_most_s: duration(600) }),
  measure_s: duration(240),
  hold_s: duration(3),
  cool_down_s: duration(0),
  cool_down: optional({ until_c: number(40), channel: text(), at_most_s: duration(900) }),
  limits: optional({ max_power_w: number(), max_temperature_c: number() }),
  full_load_limit_pct: unlessNone(95),
} satisfies Record<keyof PlanEntry, Shape[string]>

export type PlanForm = FormOf<typeof SHAPE>
export type PlanField = keyof PlanForm
export const PLAN_FIELDS = Object.keys(SHAPE) as PlanField[]

const same = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
const whole = record(SHAPE)

export const toForm = (known: Known): PlanForm => whole.write(known)

/** The fields in which a form differs from another; without another, from a new plan's. */
export function changedFields(form: PlanForm, from: PlanForm = toForm({})): PlanField[] {
  return PLAN_FIELDS.filter((field) => !same(form[field], from[field]))
}

/** The entry that a form describes: what was not touched stays exactly as it was, or stays out. */
export function toPlan(form: PlanForm, known: Known): PlanEntry {
  const read = whole.read(form) as Record<string, unknown>
  const entry: Record<string, unknown> = { ...known }
  for (const field of changedFields(form, toForm(known))) {
    if (read[field] === undefined) delete entry[field]
    else entry[field] = read[field]
  }
  return { name: "", configurations: [], workloads: [], ...entry } as PlanEntry
}
