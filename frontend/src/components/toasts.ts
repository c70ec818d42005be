/** Short notices, and acts that can be taken back for ten seconds. */

import { shallowRef } from "vue"
import type { Problem } from "@/api/client"

export const UNDO_S = 10
const NOTICE_S = 6

export interface Toast {
  id: number
  text: string
  note?: string
  bad?: boolean
  /** Present while the act can be taken back. */
  undo?: () => void
  seconds: number
}

export const toasts = shallowRef<readonly Toast[]>([])
let next = 1

export function dismiss(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id)
}

export function notify(text: string, note?: string): void {
  show({ text, note, seconds: NOTICE_S })
}

export function report(problem: Problem): void {
  show({ text: problem.cause, note: problem.remedy, bad: true, seconds: 2 * NOTICE_S })
}

/** Tell what was done, and offer for ten seconds to take it back. */
export function undoable(text: string, undo: () => void, note?: string): void {
  show({ text, note, undo, seconds: UNDO_S })
}

/** Take the notice away and its act back. */
export function takeBack(toast: Toast): void {
  dismiss(toast.id)
  toast.undo?.()
}

/** Take back the latest act that still can be; false: there is none. */
export function undoLatest(): boolean {
  const latest = toasts.value.findLast((toast) => toast.undo)
  if (latest) takeBack(latest)
  return latest !== undefined
}

function show(toast: Omit<Toast, "id">): void {
  const id = next++
  toasts.value = [...toasts.value, { ...toast, id }]
  setTimeout(() => dismiss(id), toast.seconds * 1000)
}
