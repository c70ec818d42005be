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
  sweeps: "Over the load levels",
  sweepShow: "Quantity over the levels",
  sweepShort: { efficiency: "Perf/W", throughput: "Throughput", power: "Power", response: "Response" },
  sweepQuantities: {
    efficiency: "Performance per watt",
    throughput: "Throughput",
    power: "Power",
    response: "Mean response time",
  },
  sweepTitle: (quantity: string, workload: string): string => `${quantity} over the load levels, ${workload}`,
  sweepNote: "Bars are 95 % intervals. Ringed: the peak. Dotted: the knee, where the curve bends most.",
  sweepWords: (title: string): string => `${title} in words`,
  level: "Level (clients, threads, processes)",
  levels: "Levels",
  peak: "peak",
  peakAtEdge: "highest so far",
  knee: "knee",
  peakOf: (quantity: string): string => `${quantity} peaks at`,
  kneeOf: (quantity: string): string => `${quantity} bends at`,
  saturation: "95 % of peak from",
  meanOf: (quantity: string): string => `Mean ${quantity}`,
  fromLevel: "Mean from level",
  fromLevelHint: "such as 5: \u201c5 and higher\u201d",
  fromLevelWrong: "A positive number.",
  meanNote: (level: string): string =>
    `Means are over the levels ${level} and higher, every level alike; their ± is not told.`,
}
