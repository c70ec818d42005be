/** Words of the run page. */

export const runWords = {
  load: "Load",
  limitedBy: "Limited by",
  limits: {
    cpu: "CPU",
    "one core": "One core",
    memory: "Memory",
    disk: "Disk",
    network: "Network",
    gpu: "GPU",
    throttling: "Heat",
    nothing: "No bottleneck found",
  } as Record<string, string>,
  responseTimes: "Response times",
  responseNote: "As reported by the load in the window; ± not known",
  statistic: (name: string): string => {
    // "p95", or "first token p95" of a load that reports several kinds of times.
    const [, of, statistic] = /^(?:(.*) )?(\S+)$/.exec(name) ?? [name, undefined, name]
    const label = { mean: "Mean", min: "Shortest", max: "Longest", median: "Median" }[statistic!]
    const percentile = /^p(\d+)$/.exec(statistic!)?.[1]
    // "p999" is the 99.9th: two digits before the decimal sign.
    const digits = percentile
      ? `${percentile.slice(0, 2)}${percentile[2] ? `.${percentile.slice(2)}` : ""} %`
      : undefined
    const short = label ?? digits
    if (short === undefined) return name
    return of ? `${of[0]!.toUpperCase()}${of.slice(1)}, ${short.toLowerCase()}` : short
  },
  limitsReached: "Limits reached",
  noLimitReached: "None of heat, power, current or clock, as far as recorded",
  limitOf: (device: string, cause: string): string => `${device}: ${cause}`,
  limitsNote: "Share of the window, and what it is based on",
  beside: "Other programs",
  besideNote: "CPU time of other programs in the window, in % of one core",
  ofCore: (share: string): string => `${share} of one core`,
  suggested: "Steadier part of the run",
  suggestedNote: "A hint for the next run; the result does not use it",
  excluded: (n: number): string =>
    n === 1
      ? "1 excluded sample in the window, drawn as a cross."
      : `${n} excluded samples in the window, drawn as crosses.`,
  rules: {
    complete: "complete intervals",
    mlperf: "MLPerf rule",
    "eehpc-l1": "EE HPC level 1",
    "eehpc-l2": "EE HPC level 2",
    "eehpc-l3": "EE HPC level 3",
    specpower: "SPECpower rule",
  },
  lookAt: "Show in traces",
  overWindow: "Over this window",
  overWindowNote: "± is the 95 % interval of this window; it needs good readings, not steady power.",
  workFor: (work: string, energy: string): string => `${work} for ${energy}`,
  scatter: (u: string, dof: string | null, note: string): string =>
    `Scatter within the run: u ${u}${dof === null ? "" : `, ${dof} degrees of freedom`}${note ? ` (${note})` : ""}.`,
  noScatter: "Scatter within the run is not known; ± is of this count only",
  uncovered: (share: string): string => `${share} of the window has no readings; the budget includes this.`,
  fullLoad: "Full-load power of this server",
  fullLoadNote: "What the server draws whenever it runs this load. The window is a sample of it and must be steady.",
  fullLoadPower: "Full-load power",
  notStated: "Not available.",
  roleEnergy: (role: string): string => `Energy of the hosts: ${role}`,
  roleShare: (share: string): string => `${share} of the whole deployment`,
  rolePerWork: (energy: string, work: string): string => `${energy} by ${work}`,
  roleNote: "By the meters of these hosts over the window, whatever they did in it",
  counted: "Counted beside the work",
  countedNote: "By the load itself; per joule of the energy above, without a ± of its own.",
  stated: "Published by the source",
  statedNote: "As printed in its files, and compared with the figures above, which are based on counted work.",
  statedDifference: (percent: string): string => `${percent} from the figure above`,
  contradicts: "The log is inconsistent",
  contradictsNote: "No result is shown. Ask the submitter for the original files.",
  noLevel: "none",
  level: (number: string): string => `level ${number}`,
  ownVerdicts: "Run",
  importVerdicts: "Imported files",
  notCovered: {
    run: "Another run, boot or installation of this server, or another machine of its model: only repeats show that.",
    window: "Power in any other window: full-load power has its own ±.",
    work: "Counting errors of the workload: its count is used as reported.",
    meter: "A meter outside its limits of error, or not connected as the bench file says.",
  },
  toBudget: (quantity: string): string => `Show the uncertainty budget of ${quantity.toLowerCase()}`,
  throughputBudget: "Throughput budget",
  samples: "Samples",
  samplesOf: { csv: "CSV", parquet: "Parquet" },
  wholeRun: (format: string): string => `Whole run, ${format}`,
  visible: (format: string): string => `Visible part, ${format}`,
  everySample: "all samples, with quality",
  said: "Tags and note",
  notePlaceholder: "What readers should know about this run",
  keepNote: "Save note",
  noteKept: "Note saved",
  second: "Other metrics",
  secondNote: "They do not replace performance per watt; ± is the 95 % interval",
  notMeasured: "not measured",
  idleSubtracted: "Idle-subtracted performance per watt",
  idle: (watts: string): string => `Idle: ${watts}`,
  loadedLessIdle: (watts: string): string => `Idle-subtracted power: ${watts}`,
  idleSubtractedNote: (uncertaintyKnown: boolean): string =>
    `Idle power is subtracted.${uncertaintyKnown ? "" : " Uncertainty not known."}`,
  delay: "Energy × delay",
  squared: (value: string): string => `Energy × delay²: ${value}`,
  delayNote: (work: string): string => `Per ${work}, whole server`,
  cost: (operation: string): string => `Cost of one million ${operation}`,
  costOf: (price: string, years: string, tariff: string, pue: string): string =>
    `Price ${price} over ${years} years, ${tariff}, PUE ${pue}`,
  purchase: (share: string): string => `${share} of it is the purchase price`,
  costNote: "± from throughput and power; price and tariff taken as exact",
  perPrice: "Performance per watt and price",
  nominal: "Nominal performance per watt",
  tdp: (watts: string): string => `Throughput over the TDP of all processors, ${watts}`,
}
