import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { effectScope, nextTick, ref } from "vue"
import { paceMs, watchPaced } from "@/lib/pace"

beforeEach(() => vi.useFakeTimers({ toFake: ["performance"] }))
afterEach(() => vi.useRealTimers())

describe("the pace of drawing", () => {
  it("follows the span: an hour in 300 pixels moves half a pixel in six seconds", () => {
    expect(paceMs(3600, 300)).toBe(6000)
    expect(paceMs(60, 1200)).toBe(100)
  })

  it("skips changes in between, but never one that a reader made", async () => {
    const scope = effectScope()
    const [data, pausedAt] = [ref(0), ref<number | null>(null)]
    const act = vi.fn()
    scope.run(() => watchPaced(data, [pausedAt], () => 1000, act))
    for (let i = 1; i <= 20; i++) {
      vi.advanceTimersByTime(100)
      data.value = i
      await nextTick()
    }
    expect(act.mock.calls.length).toBeGreaterThanOrEqual(2)
    expect(act.mock.calls.length).toBeLessThanOrEqual(3)
    const before = act.mock.calls.length
    pausedAt.value = 5
    await nextTick()
    expect(act).toHaveBeenCalledTimes(before + 1)
    scope.stop()
  })
  it("lets many figures take turns, also after a reader moved them all", async () => {
    const scope = effectScope()
    const [data, pausedAt] = [ref(0), ref(0)]
    let acts = 0
    scope.run(() => {
      for (let k = 0; k < 100; k++)
        watchPaced(
          data,
          [pausedAt],
          () => 1000,
          () => acts++,
        )
    })
    pausedAt.value = 1
    await nextTick()
    expect(acts).toBe(100)
    for (let i = 1; i <= 10; i++) {
      acts = 0
      vi.advanceTimersByTime(100)
      data.value = i
      await nextTick()
      expect(acts).toBeGreaterThan(5)
      expect(acts).toBeLessThan(15)
    }
    scope.stop()
  })
})
