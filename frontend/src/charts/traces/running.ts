/** Live data of a run under way, in the shape of the traces of a finished run: the same lanes draw both. */

import type { Schemas } from "@/api/client"
import type { LiveColumns } from "@/api/live"
import { mainPower } from "@/lib/channels"
import type { ChannelHead } from "@/live"
import { drawn } from "@/live/past"
import type { TrackWindow } from "@/live/track"
import type { TimeWindow } from "../timeWindow"
import type { SeriesOut, Traces } from "./lanes"

export type ThroughputSoFar = Schemas["ThroughputSoFar"]

/** Columns drawn at most: more than a screen has pixels across. */
const COLUMNS = 1_500

/** The channels of a server shown for a run: the total of each of its meters. */
export function watched(heads: readonly ChannelHead[], server: string): ChannelHead[] {
  const own = heads.filter((head) => head.server === server && head.role !== "host")
  const sources = [...new Set(own.map((head) => head.source))]
  return sources.flatMap((source) => mainPower(own.filter((head) => head.source === source)) ?? [])
}

/** Readings of the channels within a span, and the throughput reported so far. */
export function runningTraces(
  heads: readonly ChannelHead[],
  samples: (head: ChannelHead) => TrackWindow | undefined,
  past: (head: ChannelHead) => LiveColumns | null,
  throughput: ThroughputSoFar | undefined,
  { begin, end }: TimeWindow,
): Traces {
  return {
    run_id: throughput?.run_id ?? "",
    begin_s: begin,
    end_s: end,
    excluded: [],
    limits: [],
    series: heads.map((head, id) => seriesOf(head, id, samples(head), past(head), { begin, end })),
    throughput: throughput?.rates ?? [],
    throughput_unit: throughput?.unit ?? "",
  }
}

function seriesOf(
  head: ChannelHead,
  id: number,
  samples: TrackWindow | undefined,
  past: LiveColumns | null,
  { begin, end }: TimeWindow,
): SeriesOut {
  const own = samples ?? { t: new Float64Array(), value: new Float64Array() }
  const [t_s, mean, maximum, minimum] = drawn(past, own, begin, end, COLUMNS)
  const perBucket = Math.max(1, own.t.length / COLUMNS, past ? past.width_s / head.period_s : 1)
  return {
    id,
    source: head.source,
    channel: head.channel,
    quantity: head.quantity,
    unit: head.unit,
    label: head.label,
    kind: head.kind,
    range: head.range ?? "",
    simulated: head.simulated,
    total: head.total,
    decimated: perBucket > 1,
    samples_per_bucket: perBucket,
    total_samples: own.t.length,
    t_s,
    mean,
    minimum,
    maximum,
  }
}
