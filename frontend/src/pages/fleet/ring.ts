/** A ring comparison in the address, and the columns of its tables. */

import type { LocationQueryRaw } from "vue-router"
import type { Schemas } from "@/api/client"
import type { RingRequest } from "@/api/fleet"
import { verdictOf, type Ring, type RingLab } from "@/charts/ring/ring"
import type { Tone } from "@/components/StatusMark.vue"
import type { Column } from "@/components/tableModel"
import { BY } from "@/pages/compare/request"
import { fmt, type Measured, type PlusMinus } from "@/format"
import { fleetWords } from "@/strings/fleet"

const words = fleetWords.ring
export type Choice = Schemas["RingChoice"]
type Item = Ring["item"]

/** In an address: records do not state it. An empty text would mean any. */
const UNKNOWN = "unknown"
const shown = (text: string): string => text || UNKNOWN
const read = (text: string): string => (text === UNKNOWN ? "" : text)

/** What was chosen, as an address holds it. */
export const addressOf = (item: Item): LocationQueryRaw => ({
  workload: item.workload,
  level: item.level,
  model: item.server_model,
  processor: shown(item.processor),
  memory: shown(item.memory),
  ...(item.dimm_count === null ? {} : { dimms: String(item.dimm_count) }),
  ...(item.simulated ? { simulated: "1" } : {}),
})

interface Asked {
  workload: string
  level: string
  model: string
  processor: string
  memory: string
  dimms: string
  simulated: string
  figure: string
}

/** The request of an address; null: it chooses none. */
export function ringRequest(asked: Asked): RingRequest | null {
  const { workload, level, model, processor, memory, dimms, simulated, figure } = asked
  if (!workload || !level || !model) return null
  return {
    workload,
    level,
    model,
    figure: figure as NonNullable<RingRequest["figure"]>,
    ...(processor ? { processor: read(processor) } : {}),
    ...(memory ? { memory: read(memory) } : {}),
    ...(dimms ? { dimms: Number(dimms) } : {}),
    ...(simulated ? { simulated: true } : {}),
  }
}

/** The request for what a list offers, by the figure that pages compare by at first. */
export const itemRequest = (item: Item): RingRequest =>
  ringRequest({ dimms: "", simulated: "", ...(addressOf(item) as Record<string, string>), figure: BY } as Asked)!

/** Whether the labs agree, and how many stand apart; without a consensus value there is no verdict. */
export function verdictOfRing({ reference, consistency, labs }: Ring): { tone: Tone; word: string } {
  if (!reference || !consistency) return { tone: "none", word: words.noConsensus }
  const apart = labs.filter((lab) => lab.signal && lab.signal !== "satisfactory").length
  if (apart) return { tone: "warn", word: words.apart(apart, labs.length) }
  return consistency.consistent ? { tone: "ok", word: words.agree } : { tone: "warn", word: words.disagree }
}

export const titleOf = (choice: Item): string =>
  [choice.server_model, choice.processor, choice.memory, choice.workload, choice.level].filter(Boolean).join(", ")

export const choiceColumns: Column<Choice>[] = [
  { id: "model", head: words.model, value: (choice) => choice.server_model, card: "title" },
  { id: "processor", head: words.processor, value: (choice) => choice.processor || words.unknown, card: "line" },
  { id: "memory", head: words.memory, value: (choice) => choice.memory || words.unknown, card: "line" },
  { id: "workload", head: words.workload, value: (choice) => `${choice.workload}, ${choice.level}`, card: "line" },
  { id: "labs", head: words.labs, value: (choice) => choice.labs, numeric: true, card: "figure" },
  { id: "runs", head: words.columns.runs, value: (choice) => choice.runs, numeric: true, wideOnly: true },
  { id: "verdict", head: words.columns.verdict, value: () => null, sortable: false, card: "line" },
]

function signed(of: PlusMinus | null): Measured {
  if (!of) return { value: "", u: null }
  const text = fmt.quantity(of)
  return of.value > 0 ? { ...text, value: `+${text.value}` } : text
}

/** A difference in per cent of the consensus value. */
function percent({ difference, difference_pct: value }: RingLab, reference: Ring["reference"]): PlusMinus | null {
  const half = reference && difference?.U95 != null ? (100 * difference.U95) / Math.abs(reference.value) : null
  return value === null ? null : { value, U95: half }
}

export function labColumns({ labs, unit, reference }: Ring): Column<RingLab>[] {
  const z = labs.some((lab) => lab.z !== null)
  return [
    { id: "lab", head: words.columns.lab, value: (lab) => lab.lab || words.unnamed, card: "title" },
    {
      id: "value",
      head: words.columns.value,
      unit,
      value: (lab) => lab.value.value,
      measured: (lab) => fmt.quantity(lab.value),
      card: "figure",
    },
    {
      id: "difference",
      head: words.columns.difference,
      unit,
      value: (lab) => lab.difference?.value,
      measured: (lab) => signed(lab.difference),
      wideOnly: true,
    },
    {
      id: "percent",
      head: words.columns.percent,
      unit: "%",
      value: (lab) => lab.difference_pct,
      measured: (lab) => signed(percent(lab, reference)),
      card: "figure",
    },
    {
      id: "en",
      head: words.columns.en,
      value: (lab) => lab.en,
      text: (lab) => (lab.en === null ? "" : fmt.fixed(lab.en, 2)),
      numeric: true,
      card: "figure",
    },
    ...(z
      ? [
          {
            id: "z",
            head: words.columns.z,
            value: (lab: RingLab) => lab.z,
            text: (lab: RingLab) => (lab.z === null ? "" : fmt.fixed(lab.z, 2)),
            numeric: true,
            wideOnly: true,
          },
        ]
      : []),
    { id: "verdict", head: words.columns.verdict, value: (lab) => verdictOf(lab).word, card: "line" },
    { id: "n", head: words.columns.runs, value: (lab) => lab.n, numeric: true, wideOnly: true },
    { id: "server", head: words.columns.server, value: (lab) => lab.server, wideOnly: true },
  ]
}

/** What takes no part, by the reason why: that of most groups first. */
export function excludedBy(groups: Ring["excluded"]): { why: string; groups: Ring["excluded"] }[] {
  const byReason = new Map<string, Ring["excluded"]>()
  for (const group of groups) byReason.set(group.why, [...(byReason.get(group.why) ?? []), group])
  return [...byReason].map(([why, of]) => ({ why, groups: of })).sort((a, b) => b.groups.length - a.groups.length)
}
