/** A module in the hand: picked up from the tray or a slot, by pointer or key, and put down into a slot. */

import { ref, shallowRef, type Ref } from "vue"
import { editorWords as words } from "@/strings/servers"
import { move, put, type ModuleEntry, type Slots } from "./population"

/** `from` is null for a module of the tray. */
export interface Carried {
  from: string | null
  module: ModuleEntry
}

/** Pixels that a pointer goes before a press becomes a drag. */
const DRAG_PX = 5

export function useCarry(slots: Ref<Slots>) {
  const carried = shallowRef<Carried | null>(null)
  const over = ref<string | null>(null)
  const announcement = ref("")
  let press: { x: number; y: number; from: Carried } | null = null
  let dragged = false

  function pickUp(from: Carried): void {
    carried.value = from
    announcement.value = words.pickedUp(from.from)
  }

  function putDown(slot: string): void {
    const moving = carried.value
    if (!moving) return
    slots.value =
      moving.from === null ? put(slots.value, slot, { ...moving.module }) : move(slots.value, moving.from, slot)
    carried.value = null
    announcement.value = words.putInto(slot)
  }

  function letGo(): void {
    if (carried.value) announcement.value = words.letGo
    carried.value = null
    over.value = null
  }

  function remove(slot: string): void {
    if (!slots.value[slot]) return
    slots.value = put(slots.value, slot, null)
    carried.value = null
    announcement.value = words.removed(slot)
  }

  function begin(event: PointerEvent, from: Carried): void {
    dragged = false
    if (event.button !== 0 || carried.value) return
    press = { x: event.clientX, y: event.clientY, from }
    addEventListener("pointermove", moved)
    addEventListener("pointerup", released, { once: true })
    addEventListener("pointercancel", released, { once: true })
  }

  function slotUnder(event: PointerEvent): string | null {
    const element = document.elementFromPoint(event.clientX, event.clientY)?.closest<HTMLElement>("[data-slot]")
    return element?.dataset.slot ?? null
  }

  function moved(event: PointerEvent): void {
    if (!press) return
    if (!dragged && Math.hypot(event.clientX - press.x, event.clientY - press.y) < DRAG_PX) return
    if (!dragged) pickUp(press.from)
    dragged = true
    over.value = slotUnder(event)
  }

  /** Beside every slot a module of the board falls out of it, one of the tray stays where it was. */
  function released(event: PointerEvent): void {
    removeEventListener("pointermove", moved)
    const from = press?.from.from ?? null
    press = null
    over.value = null
    if (!dragged) return
    // A click may follow a drag in the same breath, and must not pick the module up again.
    setTimeout(() => (dragged = false))
    const slot = event.type === "pointerup" ? slotUnder(event) : null
    if (slot !== null) putDown(slot)
    else if (from !== null && event.type === "pointerup") remove(from)
    else letGo()
  }

  /** A press that was no drag: put down what is held, else pick up what is there. */
  function pressed(from: Carried | null, slot: string | null): void {
    if (dragged) return
    if (carried.value && slot !== null) putDown(slot)
    else if (carried.value) letGo()
    else if (from) pickUp(from)
  }

  return { begin, carried, letGo, over, pressed, remove, announcement }
}
