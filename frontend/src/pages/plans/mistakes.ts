/** Where a mistake that the service found is shown. */

import type { Mistake } from "@/lib/edits"
import { PLAN_FIELDS } from "./planForm"

/** The first field that the words of a mistake name; rules between fields are said of the whole plan. */
const named = (message: string): string | undefined =>
  PLAN_FIELDS.map((field) => ({ field, at: message.search(new RegExp(`\\b${field}\\b`)) }))
    .filter((one) => one.at >= 0)
    .toSorted((one, other) => one.at - other.at || other.field.length - one.field.length)[0]?.field

/** Mistakes about the plan as a whole at the field that they name. */
export function placed(mistakes: readonly Mistake[]): Mistake[] {
  return mistakes.map((one) => {
    const field = one.path?.length === 0 ? named(one.message) : undefined
    return field ? { ...one, path: [field] } : one
  })
}
