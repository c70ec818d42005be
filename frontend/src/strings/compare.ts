/** Words of the comparison about equality and what is compared. */

export const compareWords = {
  comparedBy: "Compared by",
  smallest: "Difference that matters",
  figures: { efficiency: "Perf/W", throughput: "Throughput", power: "Power" },
  equal: (margin: string): string => `equal within ${margin}`,
  higherWithin: (margin: string): string => `significantly higher, by less than ${margin}`,
  lowerWithin: (margin: string): string => `significantly lower, by less than ${margin}`,
  more: (runs: number, margin: string): string =>
    `${runs} more ${runs === 1 ? "run" : "runs"} of each would resolve ${margin}`,
}
