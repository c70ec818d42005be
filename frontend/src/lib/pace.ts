/** Limit redrawing to the rate of visible movement. */

import { watch, type WatchSource } from "vue"

/** Shortest time between drawings, at any data rate. */
const LEAST_MS = 100

/** Time in which a sliding trace moves by half a pixel [ms]. */
export function paceMs(spanS: number, widthPx: number): number {
  return Math.max(LEAST_MS, (spanS * 1000) / (2 * Math.max(1, widthPx)))
}

/** Each figure's place between two drawings: the golden section spreads any number of them evenly. */
let begun = 0
const place = (): number => (begun++ * 0.618) % 1

/**
 * Act on changes of `often`, but not before `pace` has passed since the last time; act at once on changes of `now`.
 * Many that follow the same source take turns, so that no frame has to draw them all.
 */
export function watchPaced(often: WatchSource, now: WatchSource[], pace: () => number, act: () => void): void {
  const share = place()
  const behind = () => performance.now() - share * pace()
  let last = behind()
  watch(often, () => {
    if (performance.now() - last < pace()) return
    last = performance.now()
    act()
  })
  watch(now, () => {
    last = behind()
    act()
  })
}
