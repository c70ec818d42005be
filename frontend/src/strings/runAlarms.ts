/** Words of the run page about alarms in its window. */

export const runAlarmWords = {
  title: "Alarms in the window",
  note: "Bars along the top of the traces show when they lasted, thick ones a limit that runs must keep.",
  high: (limit: string): string => `above ${limit}`,
  low: (limit: string): string => `below ${limit}`,
  told: (source: string, channel: string, beyond: string, worst: string): string =>
    `${source}, ${channel}: ${beyond}, ${worst} at worst`,
  span: (begin: string, end: string): string => `${begin} to ${end}`,
  open: (begin: string, seen: string): string => `From ${begin}; its end is not known, it lasted still at ${seen}`,
  mustKeep: "Runs must keep this limit",
  only: "Told, not judged",
  look: "Look at it",
  lookAt: (told: string): string => `Look at it: ${told}`,
  more: (n: number): string => `Show ${n} more`,
  notRecorded: (n: number): string => `${n} more were not recorded with the run.`,
}
