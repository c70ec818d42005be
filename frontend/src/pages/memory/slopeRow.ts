/** Rows of watts per module, and the levels of which there are some. */

import type { Schemas } from "@/api/client"
import type { MemoryChoice } from "./memoryChoices"

export interface SlopeRow {
  key: string
  title: string
  slope: Schemas["MemorySlope"]
  /** Whether the page shows its line. */
  shown: boolean
}

/** The load levels of a server and workload at which more than one count was measured, low ones first. */
export const levelsOf = (choices: readonly MemoryChoice[], server: string, workload: string): string[] =>
  choices
    .filter((choice) => choice.server === server && choice.workload === workload)
    .map((choice) => choice.level)
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
