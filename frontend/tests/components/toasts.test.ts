import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { notify, toasts, undoable, undoLatest } from "@/components/toasts"

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
})

describe("an act that can be taken back", () => {
  it("can be for ten seconds and not longer", () => {
    const back = vi.fn()
    undoable("1 run moved to the trash", back)
    vi.advanceTimersByTime(9_900)
    expect(toasts.value).toHaveLength(1)
    vi.advanceTimersByTime(200)
    expect(undoLatest()).toBe(false)
    expect(back).not.toHaveBeenCalled()
  })

  it("is the latest one, once, whatever was said after it", () => {
    const [first, second] = [vi.fn(), vi.fn()]
    undoable("winter: on 2 runs", first)
    undoable("1 run moved to the trash", second)
    notify("The link is in the clipboard")
    expect(undoLatest()).toBe(true)
    expect([first.mock.calls.length, second.mock.calls.length]).toEqual([0, 1])
    expect(undoLatest()).toBe(true)
    expect(first).toHaveBeenCalledOnce()
    expect(undoLatest()).toBe(false)
    expect(toasts.value.map((toast) => toast.text)).toEqual(["The link is in the clipboard"])
  })
})
