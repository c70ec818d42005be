/** The geometry of an audited run: its window, its silences, and the mean of each part. */

import type { AuditedRun } from "@/api/audits"

export interface Part {
  name: "before" | "inside" | "after"
  from: number
  to: number
  readings: number
  meanW: number
}

/** The length of the window [s]. */
export const windowSeconds = (run: AuditedRun): number => (run.end_ns - run.begin_ns) / 1e9

/** From the first to the last reading, and at least the window [s]. */
export function reach(run: AuditedRun): [number, number] {
  const times = run.trace.t_s
  return [Math.min(0, times[0] ?? 0), Math.max(windowSeconds(run), times[times.length - 1] ?? 0)]
}

/** The parts of the log that hold readings, with the mean of each. */
export function parts(run: AuditedRun): Part[] {
  const [first, last] = reach(run)
  const end = windowSeconds(run)
  const spans = [
    { name: "before", from: first, to: 0 },
    { name: "inside", from: 0, to: end },
    { name: "after", from: end, to: last },
  ] as const
  return spans.flatMap((span) => {
    const { readings, mean_w: meanW } = run[span.name]
    return meanW === null ? [] : [{ ...span, readings, meanW }]
  })
}

/** Segments of the trace between gaps; nothing is drawn where nothing was measured. */
export function pieces(run: AuditedRun): [number, number][][] {
  const out: [number, number][][] = [[]]
  run.trace.t_s.forEach((time, i) => {
    const earlier = run.trace.t_s[i - 1]
    const silent =
      earlier !== undefined && run.gaps.some((gap) => gap.begin_s >= earlier - 0.01 && gap.end_s <= time + 0.01)
    if (silent) out.push([])
    out[out.length - 1]!.push([time, run.trace.power_w[i]!])
  })
  return out.filter((piece) => piece.length)
}
