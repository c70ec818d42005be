import { describe, expect, it } from "vitest"
import type { Sweep } from "@/charts/scaling/sweepCurves"
import { userCurves } from "@/charts/scaling/userCurves"

const sweep = (key: string, users: object[] | undefined): Sweep =>
  ({ scaling: { key, title: key.toUpperCase(), simulated: false }, users }) as unknown as Sweep

describe("what each user gets for the energy", () => {
  const users = [
    { count: 4, level: "4 requests", rate: 40, energy: { value: 2, low: 1.9, high: 2.1 }, standing: "front" },
    { count: 8, level: "8 requests", rate: 30, energy: { value: 3, low: null, high: null }, standing: "beaten" },
  ]

  it("keeps the order of the levels and what the service has judged", () => {
    const [curve, ...none] = userCurves([sweep("a", users), sweep("b", []), sweep("c", undefined)])
    expect(none).toEqual([])
    expect(curve!.title).toBe("A")
    expect(curve!.points.map(({ level, rate, energy, standing }) => [level, rate, energy, standing])).toEqual([
      ["4 requests", 40, 2, "front"],
      ["8 requests", 30, 3, "beaten"],
    ])
  })

  it("draws no bar where the interval is not known", () => {
    expect(userCurves([sweep("a", users)])[0]!.points.map(({ interval }) => interval)).toEqual([[1.9, 2.1], null])
  })
})
