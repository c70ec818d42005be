import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { toasts, undoable } from "@/components/toasts"

beforeEach(() => vi.useFakeTimers())
afterEach(() => {
  vi.runAllTimers()
  vi.useRealTimers()
})

describe("an act that can be taken back", () => {
  it("happens after ten seconds and not before", () => {
    const act = vi.fn()
    undoable("Deleting run 3", act, vi.fn())
    vi.advanceTimersByTime(9_900)
    expect(act).not.toHaveBeenCalled()
    vi.advanceTimersByTime(200)
    expect(act).toHaveBeenCalledOnce()
    expect(toasts.value).toHaveLength(0)
  })

  it("does not happen once it is taken back", () => {
    const [act, back] = [vi.fn(), vi.fn()]
    undoable("Deleting run 3", act, back)
    toasts.value[0]!.undo!()
    vi.advanceTimersByTime(20_000)
    expect(act).not.toHaveBeenCalled()
    expect(back).toHaveBeenCalledOnce()
  })
})
