/** A plan as its entry in the bench file, and as the fields of its form. */

import { CoolDownRule, Graduated, Plan, QuietRule, RepeatRule, Schedule, SettleRule, StopRule } from "@/api/defaults"
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
  numberOrNumbers,
  numbers,
  optional,
  record,
  rows,
  text,
  unlessNone,
  wordOrWords,
  type FormOf,
  type Shape,
} from "./codec"

export type PlanEntry = operations["bench_put_plan"]["requestBody"]["content"]["application/json"]
/** Content of its entry in the bench file; empty for a new plan. */
export type Known = Readonly<Partial<PlanEntry>>

/** Every field of a plan. */
export const SHAPE = {
  name: text(),
  title: text(),
  configurations: names(),
  workloads: names(),
  levels: levels(),
  workload_levels: levelsByName(),
  graduated: optional(Graduated, {
    workloads: names(),
    percent: numbers(),
    calibrate: number(),
    offer: number(),
    active_idle: flag(),
    idle_once_s: duration(),
  }),
  exclude: rows({ configuration: text(), workload: text(), level: level() }),
  settings: optional(
    {},
    {
      governor: wordOrWords(),
      energy_preference: wordOrWords(),
      turbo: wordOrWords(),
      smt: wordOrWords(),
      deepest_c_state: wordOrWords(),
      power_cap_w: numberOrNumbers(),
      gpu_power_cap_w: numberOrNumbers(),
    },
  ),
  repeats: number(),
  repeat_until: optional(RepeatRule, { efficiency_ci_pct: number(), at_most: number() }),
  between_repeats: choice<Required<PlanEntry>["between_repeats"]>(),
  repeat_failed: number(),
  order: choice<Required<PlanEntry>["order"]>(),
  seed: number(),
  together: flag(),
  stop: optional(StopRule, { gain_below_pct: number(), over_levels: number() }),
  time_budget_s: duration(),
  quiet: optional(QuietRule, { at_most_s: duration() }),
  idle_s: duration(),
  idle_after_s: duration(),
  sync_pattern: flag(),
  sync_pulses_s: numbers(),
  ramp_s: duration(),
  settle_s: duration(),
  settle: optional(SettleRule, { over_s: duration(), at_least_s: duration(), at_most_s: duration() }),
  measure_s: duration(),
  hold_s: duration(),
  cool_down_s: duration(),
  cool_down: optional(CoolDownRule, { until_c: number(), channel: text(), at_most_s: duration() }),
  limits: optional({}, { max_power_w: number(), max_temperature_c: number() }),
  schedule: optional(Schedule, { calendar: text(), missed: choice<"run" | "skip">() }),
  reference: optional({}, { since: text() }),
  full_load_limit_pct: unlessNone(Plan.full_load_limit_pct),
} satisfies Record<keyof PlanEntry, Shape[string]>

export type PlanForm = FormOf<typeof SHAPE>
export type PlanField = keyof PlanForm
export const PLAN_FIELDS = Object.keys(SHAPE) as PlanField[]

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
const whole = record(Plan, SHAPE)

export const toForm = (plan: Known): PlanForm => whole.write(plan)

/** The fields in which a form differs from another; without another, from a new plan's. */
export function changedFields(form: PlanForm, from: PlanForm = toForm({})): PlanField[] {
  return PLAN_FIELDS.filter((field) => !same(form[field], from[field]))
}

/** The entry that a form describes: what was not touched stays exactly as it was, or stays out. */
export function toPlan(form: PlanForm, plan: Known): PlanEntry {
  const read = whole.read(form) as Record<string, unknown>
  const entry: Record<string, unknown> = { ...plan }
  for (const field of changedFields(form, toForm(plan))) {
    if (read[field] === undefined) delete entry[field]
    else entry[field] = read[field]
  }
  return { name: "", configurations: [], workloads: [], ...entry } as PlanEntry
}
