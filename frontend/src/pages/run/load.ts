/** What is known about a run's load: how it responded, what ran beside it. */

/** Least first, as a reader looks at a distribution. */
export function responseTimes(found: Record<string, number> | undefined): { statistic: string; seconds: number }[] {
  return Object.entries(found ?? {})
    .map(([statistic, seconds]) => ({ statistic, seconds }))
    .sort((a, b) => place(a.statistic) - place(b.statistic))
}

/** Share of the distribution below a statistic [%]; the mean leads, what is not known comes last. */
function place(statistic: string): number {
  const known = { mean: -1, min: 0, median: 50, max: 100 }[statistic]
  const digits = /^p(\d+)$/.exec(statistic)?.[1]
  return known ?? (digits ? Number(`${digits.slice(0, 2)}.${digits.slice(2) || "0"}`) : 101)
}

export interface OtherProcess {
  name: string
  pid: number
  corePct: number
}

/** Processes that took CPU time beside the load, as the disclosure names them; what is not one is passed over. */
export function otherProcesses(disclosure: Record<string, unknown>): OtherProcess[] {
  const found = disclosure["other_processes"]
  if (!Array.isArray(found)) return []
  return found.flatMap((one: unknown) => {
    const { name, pid, core_pct: corePct } = (one ?? {}) as Record<string, unknown>
    return typeof name === "string" && typeof pid === "number" && typeof corePct === "number"
      ? [{ name, pid, corePct }]
      : []
  })
}
