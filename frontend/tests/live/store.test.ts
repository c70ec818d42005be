import { beforeEach, describe, expect, it } from "vitest"
import { LiveStore, type LiveSnapshot } from "@/live/store"
import { latest } from "@/live"

type Channel = LiveSnapshot["channels"][number]

function channel(source: string, over: Partial<Channel> = {}): Channel {
  return {
    source,
    channel: "power",
    label: "Power",
    quantity: "power",
    unit: "W",
    kind: "averaged",
    role: "wall",
    server: "sut",
    shared: [],
    total: true,
    simulated: false,
    period_s: 1,
    range: null,
    state: "ok",
    problem: null,
    t_s: [98, 99, 100],
    value: [230, 231, 232],
    ...over,
  }
}

const idle = { state: "idle", runs: [] } as unknown as LiveSnapshot["campaign"]
const snapshot = (channels: Channel[], now = 100): LiveSnapshot => ({ now_s: now, channels, campaign: idle })

let browser = 1000
let frames: (() => void)[] = []
let store: LiveStore

beforeEach(() => {
  browser = 1000
  frames = []
  store = new LiveStore(
    () => browser,
    (callback) => frames.push(callback),
  )
})

describe("the answer to an order", () => {
  const campaignWith = (message: string) => ({ ...idle, state: "running", message }) as typeof idle

  it("is shown at once, until the stream says something newer", () => {
    store.applyCampaign(idle)
    store.applyAnswer(campaignWith("waiting for the instruments"), store.campaign.value)
    expect(store.campaign.value!.message).toBe("waiting for the instruments")
  })

  it("does not take the place of what the stream has said before it came", () => {
    store.applyCampaign(idle)
    const before = store.campaign.value
    store.applyCampaign(campaignWith("waiting for the operator"))
    store.applyAnswer(campaignWith("waiting for the instruments"), before)
    expect(store.campaign.value!.message).toBe("waiting for the operator")
  })
})

describe("snapshot and deltas", () => {
  it("begins with a snapshot and goes on with batches", () => {
    store.applySnapshot(snapshot([channel("a")]))
    store.applyUpdate({
      now_s: 101,
      dropped: 0,
      channels: [{ source: "a", channel: "power", t_s: [100, 101], value: [0, 233], state: "ok", problem: null }],
    })
    const track = store.track("a/power")!
    expect([...track.window(0, 200).value]).toEqual([230, 231, 232, 233])
  })

  it("moves the revision once a frame, however many batches arrive", () => {
    store.applySnapshot(snapshot([channel("a")]))
    for (let i = 0; i < 20; i++) store.applyUpdate({ now_s: 101 + i, channels: [], dropped: 0 })
    expect(frames).toHaveLength(1)
    frames.forEach((frame) => frame())
    expect(store.revision.value).toBe(1)
  })

  it("forgets channels that a new snapshot no longer has, and ignores their late samples", () => {
    store.applySnapshot(snapshot([channel("a"), channel("b")]))
    store.applySnapshot(snapshot([channel("b")]))
    store.applyUpdate({
      now_s: 101,
      dropped: 0,
      channels: [{ source: "a", channel: "power", t_s: [101], value: [1], state: "ok", problem: null }],
    })
    expect(store.track("a/power")).toBeUndefined()
    expect(store.heads.value.map((head) => head.key)).toEqual(["b/power"])
  })

  it("keeps samples out of what Vue watches", () => {
    store.applySnapshot(snapshot([channel("a")]))
    expect(store.heads.value[0]).not.toHaveProperty("value")
    expect(store.heads.value[0]).not.toHaveProperty("t_s")
  })

  it("counts the batches that were lost", () => {
    store.applyUpdate({ now_s: 1, channels: [], dropped: 2 })
    store.applyUpdate({ now_s: 2, channels: [], dropped: 3 })
    expect(store.dropped.value).toBe(5)
  })
})

describe("time", () => {
  it("tells ages by the service's clock, not by the reader's", () => {
    store.applySnapshot(snapshot([channel("a")]))
    expect(store.now()).toBe(100)
    browser += 4
    expect(store.now()).toBe(104)
    expect(store.track("a/power")!.age(store.now())).toBe(4)
    expect(store.track("a/power")!.stateAt(store.now())).toBe("stale")
  })

  it("has nothing to say about an unknown channel", () => {
    expect(latest("nobody/power", 5)).toEqual({ value: null, ageS: null, state: "waiting", problem: null })
  })
})
