/** Figures of a chosen span of a run as rows and as text. */

import type { Schemas } from "@/api/client"
import type { TimeWindow } from "@/charts/timeWindow"
import { fmt, inverseUnit, NONE, prefixed, typeset, type Quantity } from "@/format"
import { t } from "@/strings"
import { spanWords as words } from "@/strings/span"

export type Span = Schemas["SpanOut"]

export interface SpanRow {
  meter: string
  title: string
  /** In the order of the columns after the meter. */
  cells: string[]
  notes: string[]
}

const watts = (value: number | null | undefined): string =>
  value == null ? NONE : fmt.withUnit(fmt.live(value, "W"), "W")

/** Energy with its ± in the prefix that reads best. */
export function energyText(energy: Quantity | null | undefined): string {
  if (!energy) return NONE
  const { factor, unit } = prefixed(energy.value, "J")
  return fmt.measuredText(energy.value * factor, energy.U95 == null ? null : energy.U95 * factor, unit)
}

/** One row for each meter, and one for their sum where several make the result. */
export function spanRows(span: Span): SpanRow[] {
  const rows = span.meters.map((meter) => ({
    meter: meter.meter,
    title: meter.title,
    cells: [
      fmt.quantityText(meter.power),
      energyText(meter.energy),
      watts(meter.minimum_w),
      watts(meter.maximum_w),
      watts(meter.sd_w),
      [fmt.fixed(meter.readings, 0), ...(meter.excluded ? [words.excluded(meter.excluded)] : [])].join(", "),
      meter.gaps ? words.missing(fmt.duration(meter.missing_s), meter.gaps) : words.nothingMissing,
    ],
    notes: meter.notes.map(typeset),
  }))
  if (span.meters.filter((meter) => meter.role === "wall").length < 2) return rows
  const { power, energy, notes } = span.server
  const cells = [fmt.quantityText(power), energyText(energy), NONE, NONE, NONE, NONE, NONE]
  return [{ meter: words.sum, title: "", cells, notes: notes.map(typeset) }, ...rows]
}

const perWork = ({ efficiency, energy_per_op: energy }: Span): Quantity | null =>
  energy ? { value: energy.value, U95: energy.U95, unit: inverseUnit(efficiency!.unit) ?? energy.unit } : null

/** Work of the span, as far as the load counted it. */
export function workOf(span: Span): { label: string; text: string }[] {
  const figures = [
    [words.throughput, span.throughput],
    [words.efficiency, span.efficiency],
    // Below a hundredth the inverse reads better, so both are shown.
    [words.energyPerWork, span.efficiency && span.efficiency.value < 0.01 ? perWork(span) : null],
  ] as const
  return figures.flatMap(([label, figure]) => {
    if (!figure) return []
    return [{ label, text: figure === span.throughput ? fmt.partlyText(figure) : fmt.quantityText(figure) }]
  })
}

/** All of it as text for a notebook: times in UTC, one line for each meter. */
export function spanText(span: Span, title: string): string {
  const iso = (at: number): string => new Date(at * 1000).toISOString()
  const { meter: _, ...columns } = words.columns
  const lines = spanRows(span).flatMap((row) => [
    `${row.meter}: ${Object.values(columns)
      .map((label, i) => `${label} ${row.cells[i]}`)
      .filter((_, i) => row.cells[i] !== NONE)
      .join("; ")}`,
    ...row.notes.map((note) => `  ${note}`),
  ])
  return [
    span.simulated ? `${title} (${t.kind.simulated})` : title,
    `${words.run} ${span.run_id}, ${words.from(iso(span.begin_s), iso(span.end_s))}, ${words.length(fmt.duration(span.end_s - span.begin_s))}`,
    ...lines,
    ...workOf(span).map(({ label, text }) => `${label} ${text}`),
    ...span.work_notes.map(typeset),
    words.note,
  ].join("\n")
}

/** A span in the address: begin and end in Unix seconds. */
export const spanAddress = (span: TimeWindow | null): string =>
  span ? `${span.begin.toFixed(3)}~${span.end.toFixed(3)}` : ""

/** Read a span of the address; null for what is none. */
export function spanOfAddress(text: string): TimeWindow | null {
  const [begin = NaN, end = NaN] = text.split("~").map(Number)
  return end > begin ? { begin, end } : null
}
