/** Where a mistake that the service found is shown. */

import type { Mistake } from "@/lib/edits"
import { PLAN_FIELDS } from "./planForm"

/** The first field that the words of a mistake name; rules between fields are said of the whole plan. */
const named = (message: string): string | undefined =>
  PLAN_FIELDS.map((field) => ({ field, at: message.search(new RegExp(`\\b${field}\\b`)) }))
    .filter((match) => match.at >= 0)
    .toSorted((a, b) => a.at - b.at || b.field.length - a.field.length)[0]?.field

/** Mistakes about the plan as a whole at the field that they name. */
export function placed(mistakes: readonly Mistake[]): Mistake[] {
  return mistakes.map((mistake) => {
    const field = mistake.path?.length === 0 ? named(mistake.message) : undefined
    return field ? { ...mistake, path: [field] } : mistake
  })
}
