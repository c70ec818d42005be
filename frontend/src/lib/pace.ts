/** Drawing no more often than anything can be seen to move. */

import { watch, type WatchSource } from "vue"

/** Never faster than this, whatever arrives. */
const LEAST_MS = 100

/** Time in which a sliding trace moves by half a pixel [ms]. */
export function paceMs(spanS: number, widthPx: number): number {
  return Math.max(LEAST_MS, (spanS * 1000) / (2 * Math.max(1, widthPx)))
}

/**
 * Act on changes of `often`, but not before `pace` has passed since the last time; act at once on changes of `now`.
 */
export function watchPaced(often: WatchSource, now: WatchSource[], pace: () => number, act: () => void): void {
  let last = -Infinity
  const run = () => {
    last = performance.now()
    act()
  }
  watch(often, () => {
    if (performance.now() - last >= pace()) run()
  })
  watch(now, run)
}
