/** Words of the run page about alarms in its window. */

import { en as t } from "./en"

export const runAlarmWords = {
  title: "Alarms in the window",
  note: "Bars above the traces show when they occurred; thick bars exclude the run from comparisons.",
  ...t.limitSide,
  told: (source: string, channel: string, beyond: string, worst: string): string =>
    `${source}, ${channel}: ${beyond}, worst value ${worst}`,
  span: (begin: string, end: string): string => `${begin} to ${end}`,
  open: (begin: string, seen: string): string => `From ${begin}, still active at ${seen}; end unknown`,
  mustKeep: "Excludes the run from comparisons",
  only: "Informational: does not exclude the run",
  look: "Show in traces",
  lookAt: (alarm: string): string => `Show in traces: ${alarm}`,
  more: (n: number): string => `Show ${n} more`,
  notRecorded: (n: number): string => `${n} more were not recorded with the run.`,
}
