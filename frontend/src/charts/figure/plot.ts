/** Room and axes of a figure with two axes: they follow the width that the page gives. */

import { computed, reactive, ref } from "vue"
import { niceAxis, type Axis } from "../scale"

/** The area between the axes [px]. */
export interface Room {
  readonly left: number
  readonly right: number
  readonly top: number
  readonly bottom: number
  /** On a telephone: fewer ticks, no words beside the plot. */
  readonly narrow: boolean
}

export interface Plot extends Room {
  readonly width: number
  readonly height: number
  readonly x: Axis
  readonly y: Axis
  resize: (width: number) => void
}

/** Height, left and right margin [px], and the axes as functions of the room that is left. */
interface Shape {
  height: number
  left: number
  /** On a narrow and on a wide screen. */
  right: number | readonly [number, number]
  top?: number
  /** Room for the labels of the horizontal axis, and for its name where it has one. */
  foot?: number
  x: (room: Room) => Axis
  y: (room: Room) => Axis
}

export function usePlot({ height, left, right, top = 30, foot = 52, x, y }: Shape): Plot {
  const width = ref(0)
  const narrow = computed(() => width.value < 640)
  const margin = computed(() => (typeof right === "number" ? right : right[narrow.value ? 0 : 1]))
  const edge = computed(() => width.value - margin.value)
  const room: Room = reactive({ left, right: edge, top, bottom: height - foot, narrow })
  return reactive({
    width,
    height,
    left,
    right: edge,
    top,
    bottom: height - foot,
    narrow,
    x: computed(() => x(room)),
    y: computed(() => y(room)),
    resize: (now: number) => void (width.value = now),
  })
}

/** The axis of values that are drawn with their intervals, from zero where that is asked. */
export function valueAxis(values: readonly number[], { top, bottom }: Room, fromZero = false): Axis {
  const low = Math.min(...values)
  return niceAxis(fromZero ? Math.min(0, low) : low, Math.max(...values), bottom, top, 6)
}

/** Counted places whose labels do not touch. */
export function apart(places: readonly number[], at: Axis["at"]): number[] {
  const shown: number[] = []
  for (const place of places) if (!shown.length || at(place) - at(shown.at(-1)!) >= 24) shown.push(place)
  return shown
}
