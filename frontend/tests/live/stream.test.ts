import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { LiveStore } from "@/live/store"
import { LiveStream } from "@/live/stream"

class FakeSource extends EventTarget {
  readyState = 0
  closed = false
  close() {
    this.closed = true
  }
  say(event: string, data: unknown) {
    this.dispatchEvent(new MessageEvent(event, { data: JSON.stringify(data) }))
  }
}

let opened: FakeSource[] = []
let stream: LiveStream
let store: LiveStore

beforeEach(() => {
  vi.useFakeTimers()
  vi.stubGlobal("EventSource", { CLOSED: 2 })
  opened = []
  store = new LiveStore(
    () => 0,
    (callback) => callback(),
  )
  stream = new LiveStream(store, "/stream", () => {
    const source = new FakeSource()
    opened.push(source)
    return source as unknown as EventSource
  })
  stream.start()
})
afterEach(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
})

const empty = { now_s: 5, channels: [], campaign: { state: "idle", runs: [] } }

describe("the event stream", () => {
  it("is live with the first snapshot", () => {
    expect(stream.connection.value).toBe("connecting")
    opened[0]!.say("snapshot", empty)
    expect(stream.connection.value).toBe("live")
  })

  it("says that it is lost and live again when the browser reopens it", () => {
    opened[0]!.say("snapshot", empty)
    opened[0]!.dispatchEvent(new Event("error"))
    expect(stream.connection.value).toBe("lost")
    opened[0]!.say("snapshot", empty)
    expect(stream.connection.value).toBe("live")
    expect(opened).toHaveLength(1)
  })

  it("notes when anything came, a beat too", () => {
    opened[0]!.say("snapshot", empty)
    const first = stream.heardMs.value
    vi.advanceTimersByTime(4000)
    expect(stream.heardMs.value).toBe(first)
    opened[0]!.say("beat", "")
    expect(stream.heardMs.value).toBe(first + 4000)
  })

  it("opens a refused stream again, because the browser will not", () => {
    opened[0]!.readyState = 2
    opened[0]!.dispatchEvent(new Event("error"))
    vi.advanceTimersByTime(2_000)
    expect(opened).toHaveLength(2)
  })

  it("hands campaign changes on", () => {
    opened[0]!.say("campaign", { state: "running", plan: "sweep", runs: [] })
    expect(store.campaign.value).toMatchObject({ state: "running", plan: "sweep" })
  })

  it("stays closed once stopped", () => {
    opened[0]!.readyState = 2
    opened[0]!.dispatchEvent(new Event("error"))
    stream.stop()
    vi.advanceTimersByTime(10_000)
    expect(opened).toHaveLength(1)
    expect(opened[0]!.closed).toBe(true)
  })
})
