/** Words by which the library judges a printed figure, and how each is marked. */

import type { Tone } from "@/components/StatusMark.vue"

const TONES: Record<string, Tone> = {
  exact: "ok",
  "within input rounding": "ok",
  inconsistent: "warn",
  derived: "none",
  ahead: "ok",
  "hint only": "none",
  "not distinguishable": "none",
  refused: "warn",
}

/** The mark of a verdict; null: the cell is none. */
export const toneOf = (cell: string | number | null | undefined): Tone | null =>
  typeof cell === "string" ? (TONES[cell] ?? null) : null
