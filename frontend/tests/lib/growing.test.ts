import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { effectScope, nextTick, ref } from "vue"
import { useGrowing } from "@/lib/growing"

describe("rows that are drawn when the browser is idle", () => {
  beforeEach(() => {
    vi.stubGlobal("requestIdleCallback", undefined)
    Reflect.deleteProperty(globalThis, "requestIdleCallback")
    vi.useFakeTimers()
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  it("are the first at once, and soon all", async () => {
    const count = ref(240)
    const scope = effectScope()
    const drawn = scope.run(() => useGrowing(() => count.value, 40))!
    expect(drawn.value).toBe(40)
    vi.runAllTimers()
    expect(drawn.value).toBeGreaterThanOrEqual(240)
    count.value = 1000
    await nextTick()
    vi.runAllTimers()
    expect(drawn.value).toBeGreaterThanOrEqual(1000)
    scope.stop()
  })

  it("stop with their page", () => {
    const scope = effectScope()
    const drawn = scope.run(() => useGrowing(() => 240, 40))!
    scope.stop()
    vi.runAllTimers()
    expect(drawn.value).toBe(40)
  })
})
