import { describe, expect, it } from "vitest"
import { drawn, pastRequest } from "@/live/past"
import { Track } from "@/live/track"

const NOW = 1_700_000_000

const samples = (t: number[], value: (number | null)[]) => {
  const track = new Track(1)
  track.append(t, value)
  return track.window(0, NOW)
}

const past = {
  channel: "power",
  width_s: 10,
  t_s: [15, 25, 55],
  minimum: [1, 2, 3],
  maximum: [7, 8, 9],
  mean: [4, 5, 6],
}

describe("the past of a live trace", () => {
  it("asks for nothing while this page's samples reach back far enough", () => {
    expect(pastRequest(120, null, NOW, NOW - 240)).toBeNull()
    expect(pastRequest(30, NOW - 60, NOW, NOW - 100)).toBeNull()
    expect(pastRequest(120, null, NOW, null)).toBeNull()
  })

  it("asks once for what a fast channel's samples lack of a short stretch, held or not", () => {
    const asked = pastRequest(300, null, NOW, NOW - 238)!
    expect(asked.end_s).toBeGreaterThanOrEqual(NOW - 238)
    expect(asked.begin_s).toBeLessThanOrEqual(NOW - 300)
    expect(pastRequest(300, null, NOW + 30, NOW - 238)).toEqual(asked)
    expect(pastRequest(300, null, NOW, NOW - 236.5)).toEqual(asked)
    expect(pastRequest(60, NOW - 200, NOW, NOW - 238)).toEqual(asked)
  })

  it("asks for a sliding stretch only when it has moved by a column", () => {
    const first = pastRequest(86_400, null, NOW, NOW - 500)!
    expect(pastRequest(86_400, null, NOW + 20, NOW - 500)).toEqual(first)
    expect(first.begin_s).toBeLessThanOrEqual(NOW - 86_400)
    expect(first.end_s).toBeGreaterThanOrEqual(NOW)
    expect(pastRequest(86_400, null, NOW + 600, NOW - 500)).not.toEqual(first)
  })

  it("draws columns up to the first sample and breaks the line where nothing was read", () => {
    const [t, mean, maximum, minimum] = drawn(past, samples([60, 61], [10, 11]), 0, 100, 1000)
    expect(t).toEqual([15, 25, 40, 55, 60, 61])
    expect(mean).toEqual([4, 5, null, 6, 10, 11])
    expect(maximum.slice(0, 2)).toEqual([7, 8])
    expect(minimum.slice(0, 2)).toEqual([1, 2])
  })

  it("never draws a column over samples of the page", () => {
    expect(drawn(past, samples([20, 21], [10, 11]), 0, 100, 1000)[0]).toEqual([15, 20, 21])
  })
})
