/** Words of several runs laid over one another. */

export const overlayWords = {
  title: "Overlaid runs",
  note: "Aligned at the start of each window. Times are seconds after it.",
  few: "No runs chosen",
  fewText: "This page lays the traces of two to six runs over one another. Choose them in the list of runs.",
  choose: "Choose runs",
  difference: (first: string): string => `Difference to ${first}`,
  overlay: "Overlay selected",
  limit: (most: number): string => `Choose two to ${most} runs`,
  after: (time: string): string => `${time} after the start of the window`,
  time: "Time since the window began [s]",
  columns: {
    run: "Run",
    power: "Mean power",
    difference: "Difference",
    throughput: "Throughput",
    efficiency: "Work per joule",
  },
  reference: "first run",
  tableNote:
    "Means are those of each window. A difference of two runs has no ± here: their meters may share their error. Compare states it for configurations.",
  remove: (run: string): string => `Remove ${run}`,
  pointAt: "Point at a trace for values; drag to zoom",
  seconds: (value: string): string => `${value} s`,
}
