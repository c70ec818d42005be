/** Words of the memory page. */

import { plural } from "./plural"

export const memoryWords = {
  choose: "Server and workload",
  modules: "Modules",
  allModules: "All modules",
  kindNote: (counts: readonly number[], runs: number): string =>
    `${counts.join(", ")} DIMMs, ${plural(runs, "run", "runs")}`,
  counts: (n: number): string => `${n} DIMM counts`,
  numbers: "Results of the fit",
  perDimm: "Watts per DIMM",
  perDimmUnit: "W/DIMM",
  interval: (low: string, high: string): string => `95 %: ${low} to ${high} W`,
  noInterval: "No ±; the notes above say why",
  atWall: "At the wall, including regulator and supply losses",
  withoutModules: "Without modules",
  interceptNote: "The fitted line at zero modules; extrapolated, not measured",
  robust: "Robust slope",
  robustNote: "Theil–Sen; insensitive to a single outlier",
  lackOfFit: (p: string): string => `Test for lack of fit: ${p}. A small p means that the points do not lie on a line.`,
  simulatedNote: "The power comes from a load model, not from a machine.",
  planted: (name: string, value: string): string => {
    const where = { watts_per_dimm_dc: "W per DIMM (DC)", watts_per_dimm_wall: "W per DIMM at the wall" }[name]
    return `${value} ${where ?? name.replaceAll("_", " ")}`
  },
  plantedAll: (values: readonly string[]): string => `Set in the model: ${values.join(", ")}.`,
  figureNote: "Markers: runs with 95 % intervals. Line and band: fit with 95 % interval.",
  dashed: "dashed: extrapolated, not measured",
  xAxis: "DIMM count",
  yAxis: "Power at the wall [W]",
  populations: "Memory populations",
  populationNote: (dimms: number, runs: number): string =>
    `${plural(dimms, "module", "modules")}, mean of ${plural(runs, "run", "runs")}`,
  emptyTitle: "Too few DIMM counts",
  emptyText:
    "Run one workload on one server with at least two DIMM counts. This page then shows the watts per DIMM with their interval.",

  claim: "Test a claim",
  claimed: "Claim [W per DIMM]",
  margin: "Equivalence margin [W]",
  number: "Enter a positive number in W.",
  refuted: "Claim rejected",
  equal: "Claim confirmed within the margin",
  open: "Inconclusive",
  dc: (watts: string): string => `${watts} on the DC side of the power supply`,
  warnings: "Notes on the memory populations",
  show: "Quantity shown",
  quantities: { power: "Power", idle: "Idle", throughput: "Throughput", efficiency: "Perf/W" },
  idle: "Idle power",
  against: "Horizontal axis",
  axes: { count: "DIMM count", capacity: "Capacity" },
  capacity: "memory capacity",
  capacityAxis: "Capacity [GiB]",
  figureTitle: (quantity: string, against: string): string => `${quantity} against ${against}`,
  noFitNote: "Each marker is a run with its 95 % interval. A line is fitted only to power against DIMM count.",
  nothing: "No run has this quantity.",
  breakEven: "Break-even with another server",
  breakEvenNote: "Same workload and level; straight-line fits of power against DIMM count",
  breakEvenTitle: (server: string, other: string): string => `${server} and ${other}`,
  breakEvenFigureNote:
    "Both servers draw the same power where the lines meet. Grey strip: 95 % interval. Dashed: extrapolated.",
  crossing: (dimms: string, low: string | null, high: string | null): string =>
    `${dimms} DIMMs (${low === null && high === null ? "unbounded" : `95 %: ${low ?? "unbounded"} to ${high ?? "unbounded"}`})`,
  breakEvenHead: "Break-even",
  difference: "Difference in watts per DIMM",
  breakEvenColumns: ["Quantity", "Server", "Memory", "Value", "Low", "High", "Unit"],
  slopes: "Watts per DIMM by server",
  slopesNote: "Same workload and level; one line for each server and kind of modules. Bars: 95 % interval.",
  levels: "Watts per DIMM by load level",
  levelsNote: "Same server, workload and kind of modules; one line for each load level. Bars: 95 % interval.",
  other: "Compare with",
  nobody: "none",
  channels: (modules: string): string => `by channel: ${modules}`,
}
