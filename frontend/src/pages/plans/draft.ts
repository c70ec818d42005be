/** Unsaved changes of a plan, kept in the tab so that a reload loses nothing. */

import { PLAN_FIELDS, type Known, type PlanForm } from "./planForm"

export interface Draft {
  /** Version of the bench that the form was filled from. */
  version: string
  known: Known
  form: PlanForm
}

type Keep = Pick<Storage, "getItem" | "setItem" | "removeItem">
const key = (plan: string): string => `wattmark.plan-draft.${plan}`

/** Null where there is none, or one of another version of these pages. */
export function readDraft(plan: string, storage: Keep = sessionStorage): Draft | null {
  const stored = storage.getItem(key(plan))
  if (!stored) return null
  const draft = JSON.parse(stored) as Draft
  return PLAN_FIELDS.every((field) => field in draft.form) ? draft : null
}

export function keepDraft(plan: string, draft: Draft | null, storage: Keep = sessionStorage): void {
  if (draft) storage.setItem(key(plan), JSON.stringify(draft))
  else storage.removeItem(key(plan))
}
