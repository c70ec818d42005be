import { describe, expect, it } from "vitest"
import type { PredictedMemory } from "@/api/predictedMemory"
import { exportOf, MOST_WAYS, requestOf, rowsOf, waysOf, IDLE, keyOf, loadOf, loadsOf } from "@/pages/memory/question"

const typed = {
  ways: "6 x 32; 12 x 16",
  kind: "",
  level: "",
  workload: "",
  tariff: "0,25",
  currency: "EUR",
  hours: "8760",
}

describe("the question which modules to buy", () => {
  it("takes a way a line, or with semicolons between", () => {
    expect(waysOf("6 x 32\n 12 x 16 ;; 8 x 16 GB DDR4 RDIMM\n")).toEqual(["6 x 32", "12 x 16", "8 x 16 GB DDR4 RDIMM"])
  })

  it("asks for what is typed, with either decimal sign", () => {
    expect(requestOf(typed)).toEqual({ way: ["6 x 32", "12 x 16"], tariff_per_kwh: 0.25, currency: "EUR", hours: 8760 })
  })

  it("asks for no number that is none, no year of more hours, and no currency without a price", () => {
    expect(requestOf({ ...typed, tariff: "-1", hours: "9000" })).toEqual({ way: ["6 x 32", "12 x 16"] })
    expect(requestOf({ ...typed, currency: "euros" })).not.toHaveProperty("currency")
  })

  it("names the workload of a level under load only", () => {
    expect(requestOf({ ...typed, workload: "ssj" })).not.toHaveProperty("workload")
    expect(requestOf({ ...typed, level: "100 %", workload: "ssj" })).toMatchObject({ level: "100 %", workload: "ssj" })
  })

  it("asks for no more ways than the service takes at once", () => {
    expect(requestOf({ ...typed, ways: "1 x 8;".repeat(12) }).way).toHaveLength(MOST_WAYS)
  })

  it("is the same question for its table", () => {
    expect(exportOf({ way: ["6 x 32", "12 x 16"], kind: "DDR4 RDIMM", hours: 4000 })).toEqual({
      ways: "6 x 32; 12 x 16",
      modules: "DDR4 RDIMM",
      hours: "4000",
    })
  })

  it("holds each way but the first against the first", () => {
    const answer = { ways: ["a", "b"], differences: ["b against a"] } as unknown as PredictedMemory
    expect(rowsOf(answer)).toEqual([
      { way: "a", difference: null },
      { way: "b", difference: "b against a" },
    ])
  })
})

describe("loads to ask about", () => {
  it("are listed once each, and are read back from their key", () => {
    const load = { workload: "web.ab", level: "4 clients" }
    expect(loadsOf([load, { ...load }, { workload: "web.ab", level: "1 client" }])).toEqual([
      load,
      { workload: "web.ab", level: "1 client" },
    ])
    expect(loadOf(keyOf(load))).toEqual(load)
    expect(loadOf(keyOf(IDLE))).toEqual(IDLE)
    expect(keyOf(IDLE), "a choice of a list has a value").not.toBe("")
  })
})
