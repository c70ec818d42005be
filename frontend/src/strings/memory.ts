/** Words of the memory page about claims and populations. */

const plural = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`

export const memoryWords = {
  choose: "Server and workload",
  counts: (n: number): string => `${n} DIMM counts`,
  numbers: "Fitted numbers",
  perDimm: "Watts per DIMM",
  perDimmUnit: "W/DIMM",
  interval: (low: string, high: string): string => `95 %: ${low} to ${high} W`,
  noInterval: "No ±: the sentences above say why",
  atWall: "At the wall: module, regulator and supply loss together",
  withoutModules: "Without modules",
  interceptNote: "Where the fitted line meets zero modules; extrapolated, not measured",
  robust: "Robust slope",
  robustNote: "Theil–Sen: not moved by a single odd run",
  lackOfFit: "Lack of fit",
  lackOfFitNote: "Small p: the points do not lie on a line",
  simulatedNote: "The watts come from a load model, not from a machine.",
  planted: (name: string, value: string): string => {
    const where = { watts_per_dimm_dc: "W per DIMM (DC)", watts_per_dimm_wall: "W per DIMM at the wall" }[name]
    return `${value} ${where ?? name.replaceAll("_", " ")}`
  },
  plantedAll: (values: readonly string[]): string => `Put into the model: ${values.join(", ")}.`,
  figureNote: "Each marker is a run with its 95 % interval; line and 95 % band are the fit.",
  dashed: "dashed: extrapolated, not measured",
  xAxis: "DIMM count",
  yAxis: "Power at the wall [W]",
  populations: "Memory populations",
  populationNote: (dimms: number, runs: number): string =>
    `${plural(dimms, "module", "modules")}, mean of ${plural(runs, "run", "runs")}`,
  emptyTitle: "No two DIMM counts yet",
  emptyText:
    "Measure one server under one workload with different numbers of modules. This page then shows what each module costs in watts, with its interval.",

  claim: "Held against a claim",
  claimed: "Claimed [W per DIMM]",
  margin: "Equal within [W]",
  number: "A number in W, with a decimal point.",
  refuted: "Refuted",
  equal: "Equal",
  open: "Neither refuted nor shown equal",
  dc: (watts: string): string => `${watts} behind the supply`,
  warnings: "About the populations",
  show: "Quantity shown",
  quantities: { power: "Power", idle: "Idle", throughput: "Throughput", efficiency: "Perf/W" },
  idle: "Idle power",
  against: "Against",
  axes: { count: "DIMM count", capacity: "Capacity" },
  capacity: "memory capacity",
  capacityAxis: "Capacity [GiB]",
  figureTitle: (quantity: string, against: string): string => `${quantity} against ${against}`,
  noFitNote: "Each marker is a run with its 95 % interval. A line is fitted to watts against the DIMM count alone.",
  nothing: "No run here has this quantity.",
  breakEven: "Break-even with another server",
  breakEvenNote: "Same workload and level; straight lines of watts against the DIMM count",
  breakEvenTitle: (server: string, other: string): string => `${server} and ${other}`,
  breakEvenFigureNote:
    "Where the lines meet both draw the same; the grey strip is its 95 % interval. Dashed: extrapolated.",
  crossing: (dimms: string, low: string | null, high: string | null): string =>
    `${dimms} DIMMs (${low === null && high === null ? "not bounded" : `95 %: ${low ?? "not bounded"} to ${high ?? "not bounded"}`})`,
  breakEvenHead: "Break-even",
  difference: "Difference of watts per DIMM",
  breakEvenColumns: ["Quantity", "Server", "Memory", "Value", "Low", "High", "Unit"],
  other: "Held against",
  nobody: "nothing",
  channels: (modules: string): string => `by channel: ${modules}`,
}
