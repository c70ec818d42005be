/** Words of watts at the wall now, in the top bar and on the bench view. */

export const wallWords = {
  notAdded: (source: string, reason: string): string => `not added: ${source} (${reason})`,
  alsoMeasures: (servers: string): string => `measures ${servers} as well`,
  countsOnly: "counts energy, shows no power",
  partsOnly: "shows parts of the power, not the total",
  lastRead: (age: string): string => `last reading ${age} ago`,
  noGoodReading: "no good reading",
  ofMeters: (counted: number, all: number): string => `${counted} of ${all} meters`,
  waiting: "waiting",
}
