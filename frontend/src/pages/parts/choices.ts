/** What the page Parts can show, and what it shows first. */

import type { PartChoice } from "@/api/parts"

/** Identity of a choice, for lists and addresses. */
export const choiceKey = ({ key, server, workload, level }: PartChoice): string =>
  JSON.stringify([key, server, workload, level])

/** Kinds of part, those with most counts first. */
export const kindsOf = (choices: readonly PartChoice[]): string[] => [...new Set(choices.map(({ kind }) => kind))]

/** What the address names of part, server, workload and level; else the choice with most counts. */
export function chosenOf(
  choices: readonly PartChoice[],
  asked: { part: string; server: string; workload: string; level: string },
): PartChoice | undefined {
  const fits = (choice: PartChoice): boolean =>
    (!asked.part || choice.key === asked.part) &&
    (!asked.server || choice.server === asked.server) &&
    (!asked.workload || choice.workload === asked.workload) &&
    (!asked.level || choice.level === asked.level)
  return choices.find(fits)
}

/** Other parts of the same kind, or the same on another server, that ran the same workload and level. */
export const othersOf = (choices: readonly PartChoice[], chosen: PartChoice): PartChoice[] =>
  choices.filter(
    (choice) =>
      choice.kind === chosen.kind &&
      choice.workload === chosen.workload &&
      choice.level === chosen.level &&
      choiceKey(choice) !== choiceKey(chosen),
  )
