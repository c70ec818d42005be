/** How memory is drawn: channels as columns, slots as bays, empty bays visible. */

import type { Schemas } from "@/api/client"

export type Module = Schemas["ModuleOut"]

export interface SlotColumn {
  channel: string
  bays: Module[]
}

const natural = new Intl.Collator("en", { numeric: true })

/** Sort modules into channels and their slots, in the order a board prints them (A before B, 2 before 10). */
export function slotColumns(modules: readonly Module[]): SlotColumn[] {
  const columns = new Map<string, Module[]>()
  for (const module of modules) {
    const bays = columns.get(module.channel)
    if (bays) bays.push(module)
    else columns.set(module.channel, [module])
  }
  return [...columns]
    .map(([channel, bays]) => ({ channel, bays: bays.sort((a, b) => natural.compare(a.slot, b.slot)) }))
    .sort((a, b) => natural.compare(a.channel, b.channel))
}

export const isEmpty = (module: Module): boolean => !module.type

/** Whether every channel holds the same modules: an unbalanced population loses bandwidth. */
export function balanced(columns: readonly SlotColumn[]): boolean {
  const fill = columns.map((column) =>
    column.bays
      .filter((bay) => !isEmpty(bay))
      .map((bay) => `${bay.type}/${bay.capacity_gib}`)
      .sort()
      .join(),
  )
  return new Set(fill).size <= 1
}

/** Slot names repeat their channel ("DIMM_A1"); in its column the rest is enough ("1"). */
export function shortSlot(module: Module): string {
  return /(\d+)$/.exec(module.slot)?.[1] ?? module.slot
}

export type SlotChange = "fit" | "remove" | "replace"

const FACTS = ["type", "capacity_gib", "speed_mts", "ranks", "vendor"] as const

/** The action at each slot to get from one population to another; an unchanged slot has no entry. */
export function slotChanges(before: readonly Module[], after: readonly Module[]): Map<string, SlotChange> {
  const fitted = new Map(before.filter((module) => !isEmpty(module)).map((module) => [module.slot, module]))
  const changes = new Map<string, SlotChange>()
  for (const module of wholeBoard(before, after)) {
    const old = fitted.get(module.slot)
    if (!old && !isEmpty(module)) changes.set(module.slot, "fit")
    else if (old && isEmpty(module)) changes.set(module.slot, "remove")
    else if (old && FACTS.some((fact) => (old[fact] ?? null) !== (module[fact] ?? null)))
      changes.set(module.slot, "replace")
  }
  return changes
}

/** The slots of the new population, and those named only by the previous one, now empty. */
export function wholeBoard(before: readonly Module[], after: readonly Module[]): Module[] {
  const named = new Set(after.map((module) => module.slot))
  const others = before.filter((module) => !named.has(module.slot))
  return [...after, ...others.map(({ slot, channel }) => ({ slot, channel }))]
}
