/** The load levels of which watts per module are shown. */

import type { MemoryChoice } from "./memoryChoices"

/** The load levels of a server and workload at which more than one count was measured, low ones first. */
export const levelsOf = (choices: readonly MemoryChoice[], server: string, workload: string): string[] =>
  choices
    .filter((choice) => choice.server === server && choice.workload === workload && choice.counts.length > 1)
    .map((choice) => choice.level)
    .sort((a, b) => a.localeCompare(b, "en", { numeric: true }))
