import { describe, expect, it } from "vitest"
import { Track } from "@/live/track"

function filled(period: number, count: number): Track {
  const track = new Track(period)
  const stamps = Array.from({ length: count }, (_, i) => i * period)
  track.append(
    stamps,
    stamps.map((t) => t * 10),
  )
  track.state = "ok"
  return track
}

describe("a live channel's history", () => {
  it("keeps samples in order and drops repeated ones", () => {
    const track = new Track(1)
    track.append([1, 2, 2, 1.5, 3], [10, 20, 99, 99, 30])
    expect([...track.window(0, 10).t]).toEqual([1, 2, 3])
    expect([...track.window(0, 10).value]).toEqual([10, 20, 30])
  })

  it("marks bad readings as NaN and gives none as the newest value", () => {
    const track = new Track(1)
    track.append([1, 2], [10, null])
    expect(track.window(0, 3).value[1]).toBeNaN()
    expect(track.last).toBeNull()
    expect(track.lastT).toBe(2)
  })

  it("cuts a window with the sample before it, so that a line reaches the edge", () => {
    expect([...filled(1, 10).window(3.5, 6).t]).toEqual([3, 4, 5, 6])
    expect(filled(1, 10).window(20, 30).t).toHaveLength(1)
  })

  it("takes a snapshot over without losing what is older", () => {
    const track = filled(1, 10)
    track.replaceFrom([5, 6, 7], [1, 2, 3])
    expect([...track.window(-1, 100).t]).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
    expect(track.last).toBe(3)
  })

  it("keeps its history when a snapshot of a lost channel is empty", () => {
    const track = filled(1, 3)
    track.replaceFrom([], [])
    expect(track.size).toBe(3)
  })

  it("keeps eleven minutes of samples, in the room that it took at the begin", () => {
    const track = new Track(0.02)
    const room = track.window(0, 0).t.buffer.byteLength
    for (let batch = 0; batch < 4000; batch++) {
      const stamps = Array.from({ length: 50 }, (_, i) => batch + i * 0.02)
      track.append(stamps, stamps)
    }
    const { t } = track.window(0, Infinity)
    expect(t[t.length - 1]! - t[0]!).toBeGreaterThanOrEqual(660)
    expect(t[t.length - 1]! - t[0]!).toBeLessThan(900)
    expect(t.buffer.byteLength).toBe(room)
  })

  it("bounds the number of samples of a channel that is faster than was said", () => {
    const track = new Track(1)
    for (let batch = 0; batch < 300; batch++) {
      const stamps = Array.from({ length: 1000 }, (_, i) => (batch * 1000 + i) / 1000)
      track.append(stamps, stamps)
    }
    expect(track.size).toBeLessThanOrEqual(40_000)
    expect(track.size).toBeGreaterThanOrEqual(31_000)
    expect(track.last).toBe(299.999)
    const { t } = track.window(0, Infinity)
    expect(t[t.length - 1]! - t[0]!).toBeCloseTo((t.length - 1) / 1000, 6)
  })
})

describe("freshness", () => {
  it("turns stale after three periods, whatever the service said last", () => {
    const track = filled(2, 5)
    expect(track.stateAt(8 + 6.4)).toBe("ok")
    expect(track.stateAt(8 + 6.6)).toBe("stale")
    expect(track.age(18)).toBe(10)
  })

  it("says what the service knows better", () => {
    const track = filled(1, 5)
    track.state = "lost"
    expect(track.stateAt(4)).toBe("lost")
  })

  it("waits before the first sample", () => {
    const track = new Track(1)
    track.state = "ok"
    expect(track.stateAt(100)).toBe("waiting")
    expect(track.age(100)).toBeNull()
  })
})
