/** Which fields stand in which section, and how each is typed. */

import type { PlanField, PlanForm } from "./planForm"

export type FieldKind = "text" | "number" | "duration" | "list" | "switch" | "choice"

export interface FieldSpec {
  name: string
  kind: FieldKind
  /** Says whether the field means anything; without it, always. */
  only?: (form: PlanForm) => boolean
}

/** A rule with fields of its own, which count while it is on. */
export interface RuleSpec {
  name: PlanField
  fields: readonly FieldSpec[]
}

/** A part that is more than fields: drawn by its own component. */
export type Part = "workload_levels" | "exclude"

export interface Section {
  id: "levels" | "settings" | "precision" | "order" | "phases" | "limits" | "schedule"
  items: readonly (FieldSpec | RuleSpec | Part)[]
}

const rule = (name: PlanField, fields: Record<string, FieldKind>): RuleSpec => ({
  name,
  fields: Object.entries(fields).map(([field, kind]) => ({ name: field, kind })),
})
const field = (name: PlanField, kind: FieldKind, only?: FieldSpec["only"]): FieldSpec => ({ name, kind, only })
const servers = (form: PlanForm): number => new Set(form.configurations.map((place) => place.split("/")[0])).size

/** What most plans say; phases stand as time passes. */
export const FIRST: readonly FieldSpec[] = [
  field("levels", "list"),
  field("repeats", "number"),
  field("idle_s", "duration"),
  field("settle_s", "duration", (form) => !form.settle.on),
  field("measure_s", "duration"),
]

/** What has a sensible default, folded. */
export const SECTIONS: readonly Section[] = [
  {
    id: "levels",
    items: [
      "workload_levels",
      rule("graduated", {
        percent: "list",
        calibrate: "number",
        offer: "number",
        active_idle: "switch",
        idle_once_s: "duration",
      }),
      rule("stop", { gain_below_pct: "number", over_levels: "number" }),
    ],
  },
  {
    id: "settings",
    items: [
      rule("settings", {
        governor: "list",
        energy_preference: "list",
        turbo: "list",
        smt: "list",
        deepest_c_state: "list",
        power_cap_w: "list",
        gpu_power_cap_w: "list",
      }),
    ],
  },
  {
    id: "precision",
    items: [
      rule("repeat_until", { efficiency_ci_pct: "number", at_most: "number" }),
      field("between_repeats", "choice"),
      field("repeat_failed", "number"),
      "exclude",
    ],
  },
  {
    id: "order",
    items: [
      field("order", "choice"),
      field("seed", "number", (form) => form.order === "random-blocks" || form.order === "random"),
      field("together", "switch", (form) => form.together || servers(form) > 1),
    ],
  },
  {
    id: "phases",
    items: [
      rule("quiet", { at_most_s: "duration" }),
      field("sync_pattern", "switch"),
      field("sync_pulses_s", "list", (form) => form.sync_pattern),
      field("ramp_s", "duration"),
      rule("settle", { over_s: "duration", at_least_s: "duration", at_most_s: "duration" }),
      field("hold_s", "duration"),
      field("cool_down_s", "duration"),
      field("idle_after_s", "duration"),
      rule("cool_down", { until_c: "number", channel: "text", at_most_s: "duration" }),
    ],
  },
  {
    id: "limits",
    items: [
      rule("limits", { max_power_w: "number", max_temperature_c: "number" }),
      rule("full_load_limit_pct", { value: "number" }),
      field("time_budget_s", "duration"),
    ],
  },
  {
    id: "schedule",
    items: [rule("schedule", { calendar: "text", missed: "choice" }), rule("reference", { since: "text" })],
  },
]

export const isRule = (item: Section["items"][number]): item is RuleSpec => typeof item === "object" && "fields" in item

/** The fields of a plan that a section shows. */
export const fieldsOf = (section: Section): PlanField[] =>
  section.items.map((item) => (typeof item === "string" ? item : (item.name as PlanField)))
