import { describe, expect, it } from "vitest"
import { responseTimes } from "@/pages/run/load"
import { runWords } from "@/strings/run"

describe("response times of a load", () => {
  it("stand from the mean over the percentiles to the longest", () => {
    const times = responseTimes({ max: 0.9, p999: 0.8, p95: 0.2, median: 0.1, mean: 0.12, min: 0.01, p50: 0.1 })
    expect(times.map((time) => time.statistic)).toEqual(["mean", "min", "median", "p50", "p95", "p999", "max"])
    expect(responseTimes(undefined)).toEqual([])
  })

  it("call percentiles by their share, and what is not known by its own name", () => {
    expect(["p95", "p999", "p5", "max", "trimmed"].map(runWords.statistic)).toEqual([
      "95 %",
      "99.9 %",
      "5 %",
      "Longest",
      "trimmed",
    ])
  })
})
