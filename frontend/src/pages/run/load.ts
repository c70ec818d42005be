/** What is known about a run's load: how it responded, what ran beside it. */

/** Least first, as a reader looks at a distribution. */
export function responseTimes(times: Record<string, number> | undefined): { statistic: string; seconds: number }[] {
  return Object.entries(times ?? {})
    .map(([statistic, seconds]) => ({ statistic, seconds }))
    .sort((a, b) => place(a.statistic) - place(b.statistic))
}

/** Share of the distribution below a statistic [%]; the mean leads, what is not known comes last. */
function place(statistic: string): number {
  const share = { mean: -1, min: 0, median: 50, max: 100 }[statistic]
  const digits = /^p(\d+)$/.exec(statistic)?.[1]
  return share ?? (digits ? Number(`${digits.slice(0, 2)}.${digits.slice(2) || "0"}`) : 101)
}
