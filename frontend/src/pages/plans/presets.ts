/** Ready-made lengths and repeats of a plan: what each costs in time, and what it can show. */

import { toForm, type Known, type PlanField, type PlanForm } from "./planForm"

export type Preset = "look" | "standard" | "publish" | "procurement"

/**
 * The lengths for publication are those of the guide (Run a campaign); steadiness needs a window of at least 60 s. Those
 * for procurement are of CERN tender IT-4799: 20 min idle, 10 min of load to stabilise, 20 min of load.
 */
const PRESETS: Record<Preset, Known> = {
  look: { repeats: 1, idle_s: 5, settle_s: 10, measure_s: 30, order: "as-listed" },
  standard: { repeats: 3, idle_s: 30, settle_s: 30, measure_s: 120, order: "random-blocks" },
  publish: { repeats: 3, idle_s: 60, settle_s: 60, measure_s: 240, order: "random-blocks" },
  procurement: { repeats: 1, idle_s: 1200, settle_s: 600, measure_s: 1200, order: "as-listed" },
}
export const PRESET_NAMES = Object.keys(PRESETS) as Preset[]

const fieldsOf = (preset: Preset): PlanField[] => Object.keys(PRESETS[preset]) as PlanField[]

/** The form with the lengths, repeats and order of a preset; everything else stays. */
export function withPreset(form: PlanForm, preset: Preset): PlanForm {
  const filled = toForm(PRESETS[preset])
  return { ...form, ...Object.fromEntries(fieldsOf(preset).map((field) => [field, filled[field]])) }
}

/** The preset whose values the form has; null: none matches. */
export function presetOf(form: PlanForm): Preset | null {
  const matches = (preset: Preset): boolean => {
    const filled = toForm(PRESETS[preset])
    return fieldsOf(preset).every((field) => form[field] === filled[field])
  }
  return PRESET_NAMES.find(matches) ?? null
}
