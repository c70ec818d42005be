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
}
