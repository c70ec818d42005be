/** Modules in the slots of a board: filling, moving and counting them. Nothing here changes what it was given. */

import type { Schemas } from "@/api/client"
import { balanced, slotColumns, type Module } from "@/lib/slots"

type Stated = Schemas["Module"]
export type ModuleEntry = Pick<Stated, "type" | "capacity_gib"> & Partial<Stated>
export type Slots = Readonly<Record<string, ModuleEntry | null>>

export const PRESETS = [2, 4, 8, 16] as const
export const CHANNELS = 4
const MOST_DIMMS = 64
const NUMBER = /\d+$/

/** The channel of a slot: as its module says, else the slot's name less its last number (A1 -> A). */
export const channelOf = (slot: string, module: ModuleEntry | null): string =>
  module?.channel ?? (slot.replace(NUMBER, "") || slot)

/** A board with empty slots, channels lettered from A, slots numbered from 1. */
export function emptyBoard(channels: number, perChannel: number): Slots {
  const names = Array.from({ length: channels }, (_, channel) =>
    Array.from({ length: perChannel }, (_, slot) => `${String.fromCharCode(65 + channel)}${slot + 1}`),
  )
  return Object.fromEntries(names.flat().map((name) => [name, null]))
}

export function boardOf(slots: Slots): Module[] {
  return Object.entries(slots).map(([slot, module]) => ({
    slot,
    channel: channelOf(slot, module),
    type: module?.type ?? null,
    capacity_gib: module?.capacity_gib ?? null,
    speed_mts: module?.speed_mts ?? null,
    ranks: module?.ranks ?? null,
    vendor: module?.vendor ?? null,
  }))
}

/** The board with as many further slots on every channel as `count` modules need. */
export function withRoom(slots: Slots, count: number): Slots {
  let roomy = Object.keys(slots).length ? slots : emptyBoard(CHANNELS, 2)
  while (Object.keys(roomy).length < count) roomy = { ...roomy, ...nextRow(roomy) }
  return roomy
}

function nextRow(slots: Slots): Slots {
  const row = slotColumns(boardOf(slots)).map(({ bays }) => {
    const last = bays.at(-1)!.slot
    return `${last.replace(NUMBER, "")}${Number(NUMBER.exec(last)?.[0] ?? 0) + 1}`
  })
  return Object.fromEntries(row.map((slot) => [slot, null]))
}

/** Slots in the order that fills all channels evenly: the first of each channel, then the second. */
export function fillOrder(slots: Slots): string[] {
  const columns = slotColumns(boardOf(slots))
  const rows = Math.max(0, ...columns.map(({ bays }) => bays.length))
  return Array.from({ length: rows }, (_, row) => columns.flatMap(({ bays }) => bays[row]?.slot ?? [])).flat()
}

/** `count` modules of one kind, evenly over the channels; every other slot is empty. */
export function preset(slots: Slots, count: number, module: ModuleEntry): Slots {
  const roomy = withRoom(slots, count)
  const filled = new Set(fillOrder(roomy).slice(0, count))
  return Object.fromEntries(Object.keys(roomy).map((slot) => [slot, filled.has(slot) ? { ...module } : null]))
}

/** A module as it stands in a slot: the channel belongs to the slot, not to the module. */
const placed = (slots: Slots, slot: string, module: ModuleEntry | null | undefined): ModuleEntry | null =>
  module ? { ...module, channel: slots[slot]?.channel } : null

export const put = (slots: Slots, slot: string, module: ModuleEntry | null): Slots => ({
  ...slots,
  [slot]: placed(slots, slot, module),
})

/** Move a module; what stood in its new slot goes to its old one. */
export function move(slots: Slots, from: string, to: string): Slots {
  return { ...slots, [from]: placed(slots, from, slots[to]), [to]: placed(slots, to, slots[from]) }
}

/** DIMMs, their capacity [GiB], and whether all channels hold the same; persistent memory is no DIMM. */
export function population(slots: Slots): { dimms: number; capacityGib: number; even: boolean } {
  const modules = Object.values(slots).filter(
    (module): module is ModuleEntry => module !== null && module.type !== "PMem",
  )
  return {
    dimms: modules.length,
    capacityGib: modules.reduce((sum, module) => sum + module.capacity_gib, 0),
    even: balanced(slotColumns(boardOf(slots))),
  }
}

/** DIMM counts as they are typed: "4, 8"; null where something else stands there. */
export function countsOf(text: string): number[] | null {
  const parts = text
    .split(/[\s,;]+/)
    .filter(Boolean)
    .map(Number)
  return parts.every((part) => Number.isInteger(part) && part >= 1 && part <= MOST_DIMMS) ? [...new Set(parts)] : null
}

const ARROWS: Record<string, [number, number]> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
}

/** The slot that an arrow key leads to; null: no arrow, or the edge of the board. */
export function neighbour(slots: Slots, slot: string, key: string): string | null {
  const [across, down] = ARROWS[key] ?? [0, 0]
  const columns = slotColumns(boardOf(slots))
  const column = columns.findIndex(({ bays }) => bays.some((bay) => bay.slot === slot))
  const row = columns[column]?.bays.findIndex((bay) => bay.slot === slot) ?? -1
  const target = columns[column + across]?.bays[row + down]?.slot
  return target === undefined || target === slot ? null : target
}
