/** Words of the memory page. */

import { countedWords, DIMM } from "./parts"
import { plural } from "./plural"

export const memoryWords = {
  ...countedWords(DIMM),
  rates: "By bandwidth",
  ratesNote:
    "Watts of one module among the runs of each level, with the bandwidth that these runs reached on average, and watts at the wall for a gigabyte per second.",
  workload: "Workload",
  server: "Server",
  servers: (n: number): string => plural(n, "server", "servers"),
  modules: "Modules",
  allModules: "All modules",
  populations: "Memory populations",
  populationNote: (dimms: number, runs: number): string =>
    `${plural(dimms, "module", "modules")}, mean of ${plural(runs, "run", "runs")}`,
  emptyTitle: "Too few DIMM counts",
  emptyText:
    "Run one workload on one server with at least two DIMM counts. This page then shows the watts per DIMM with their interval.",
  warnings: "Notes on the memory populations",
  breakEven: "Break-even with another server",
  breakEvenNote: "Same workload and level; straight-line fits of power against DIMM count",
  meet: "Both servers draw the same power where the lines meet. Grey strip: 95 % interval.",
  slopes: "Watts per DIMM by server",
  slopesNote: "Same workload and level; one line for each server and kind of modules. Bars: 95 % interval.",
  levels: "Watts per DIMM by load level",
  levelsNote: "Same server, workload and kind of modules; one line for each load level. Bars: 95 % interval.",
  channels: (modules: string): string => `by channel: ${modules}`,
}
