/** Words of the run page about its load. */

export const runWords = {
  load: "The load",
  limitedBy: "Limited by",
  limits: {
    cpu: "CPU",
    "one core": "One core",
    memory: "Memory",
    disk: "Disk",
    network: "Network",
    gpu: "GPU",
    throttling: "Throttled CPU",
    nothing: "Nothing found at its limit",
  } as Record<string, string>,
  responseTimes: "Response times",
  responseNote: "As the load reported them in the window; no ± is known",
  statistic: (name: string): string => {
    const known = { mean: "Mean", min: "Shortest", max: "Longest", median: "Median" }[name]
    const percentile = /^p(\d+)$/.exec(name)?.[1]
    // "p999" is the 99.9th: two digits before the decimal sign.
    return known ?? (percentile ? `${percentile.slice(0, 2)}${percentile[2] ? `.${percentile.slice(2)}` : ""} %` : name)
  },
  beside: "Ran beside the load",
  besideNote: "CPU time of other programs in the window, in parts of one core",
  ofCore: (share: string): string => `${share} of a core`,
  suggested: "A steadier part",
  suggestedNote: "A hint for the next run; the result does not use it.",
  excluded: (n: number): string =>
    n === 1
      ? "One sample of the window is left out: the cross."
      : `${n} samples of the window are left out: the crosses.`,
  rules: {
    complete: "complete intervals",
    mlperf: "MLPerf rule",
    "eehpc-l1": "EE HPC level 1",
    "eehpc-l2": "EE HPC level 2",
    "eehpc-l3": "EE HPC level 3",
    specpower: "SPECpower rule",
  },
  lookAt: "Look at it",
  overWindow: "Over this window",
  overWindowNote: "± at 95 % of this work, this energy and their quotient: it needs good readings, not steadiness.",
  workFor: (work: string, energy: string): string => `${work} for ${energy}`,
  scatter: (u: string, dof: string | null): string =>
    `Scatter within the run: u ${u}${dof === null ? "" : `, ${dof} degrees of freedom`}`,
  noScatter: "How it scatters within the run is not known: ± is that of this count alone",
  uncovered: (share: string): string =>
    `The readings leave ${share} of the time uncovered; the budget says what that may hide.`,
  fullLoad: "Full-load power of this server",
  fullLoadNote: "What the server holds under this load, of which the window is a sample: it needs steadiness.",
  fullLoadPower: "Full-load power",
  notStated: "Not stated.",
  stated: "Stated by the source",
  statedNote: "As its files print it, and divided by what was measured here; the figures above rest on counted work.",
  statedDifference: (percent: string): string => `${percent} from the figure above`,
  contradicts: "The log contradicts itself",
  contradictsNote: "No figure is given. Get the original files from the submitter.",
  ownVerdicts: "The run",
  importVerdicts: "What the imported files say of themselves",
  notCovered: {
    run: "Another run, boot or installation of this server, or another machine of its kind: only repeats tell.",
    window: "The power over any other window: full-load power has a ± of its own.",
    work: "Work that the load counted wrongly: its count is taken as it is.",
    meter: "A meter outside its limits of error, or connected otherwise than the bench file says.",
  },
  toBudget: (quantity: string): string => `${quantity}: to its uncertainty budget`,
  throughputBudget: "Throughput budget",
  samples: "Samples",
  samplesOf: { csv: "CSV", parquet: "Parquet" },
  wholeRun: (format: string): string => `Whole run, ${format}`,
  visible: (format: string): string => `Visible part, ${format}`,
  everySample: "every sample, with quality",
  said: "Tags and note",
  notePlaceholder: "What a reader should know about this run",
  keepNote: "Keep note",
  noteKept: "Note kept",
  second: "Second figures",
  secondNote: "Beside performance per watt, never instead of it; ± at 95 %",
  notMeasured: "not measured",
  aboveIdle: "Performance per watt above idle",
  idle: (watts: string): string => `Idle: ${watts}`,
  loadedLessIdle: (watts: string): string => `Loaded less idle: ${watts}`,
  aboveIdleNote: (known: boolean): string =>
    `Leaves out what the server draws anyway.${known ? "" : " Uncertainty not known"}`,
  delay: "Energy × delay",
  squared: (value: string): string => `Energy × delay²: ${value}`,
  delayNote: (work: string): string => `Per ${work}, made by the whole server`,
  cost: (operation: string): string => `Cost of a million ${operation}`,
  costOf: (price: string, years: string, tariff: string, pue: string): string =>
    `Price ${price} over ${years} years, ${tariff}, PUE ${pue}`,
  purchase: (share: string): string => `${share} of it is the purchase`,
  costNote: "± from throughput and power; price and tariff as stated",
  perPrice: "Performance per watt per price",
  nominal: "Nominal performance per watt",
  tdp: (watts: string): string => `Over the design power of all processors, ${watts}`,
}
