/** Words of the memory slots of a run: what was declared, and by what each slot was verified. */

import type { Schemas } from "@/api/client"

export const memorySlotWords = {
  title: "Memory slots",
  slot: "Slot",
  declared: "Declared",
  verified: "Verified",
  contradictions: "Contradictions",
  attributes: (verified: readonly string[], unverified: readonly string[]): string =>
    [verified.join(", "), unverified.length ? `not verified: ${unverified.join(", ")}` : ""].filter(Boolean).join("; "),
  way: (way: string): string => `Read from ${way}.`,
  status: {
    "verified by firmware": "Verified by firmware",
    "verified out of band": "Verified out of band",
    "declared, not verified": "Declared, not verified",
  } satisfies Record<Schemas["CheckedSlot"]["status"], string>,
}
