import { describe, expect, it } from "vitest"
import { balanced, shortSlot, slotColumns, type Module } from "@/lib/slots"

const module = (channel: string, slot: string, type: string | null = "FB-DIMM", capacity = 1): Module => ({
  slot,
  channel,
  type,
  capacity_gib: type ? capacity : null,
  speed_mts: null,
  ranks: null,
  vendor: null,
})

describe("slots as the board has them", () => {
  it("makes a column of each channel and keeps empty bays", () => {
    const columns = slotColumns([module("B", "B2", null), module("A", "A1"), module("B", "B1")])
    expect(columns.map((column) => [column.channel, column.bays.map((bay) => bay.slot)])).toEqual([
      ["A", ["A1"]],
      ["B", ["B1", "B2"]],
    ])
  })

  it("counts slots as people do: 2 before 10", () => {
    const [column] = slotColumns([module("0", "DIMM10"), module("0", "DIMM9"), module("0", "DIMM1")])
    expect(column!.bays.map(shortSlot)).toEqual(["1", "9", "10"])
  })

  it("orders channels of several sockets", () => {
    const columns = slotColumns([module("CPU1/A", "x"), module("CPU0/B", "y"), module("CPU0/A", "z")])
    expect(columns.map((column) => column.channel)).toEqual(["CPU0/A", "CPU0/B", "CPU1/A"])
  })

  it("does not reorder what it was given", () => {
    const modules = [module("B", "B1"), module("A", "A1")]
    slotColumns(modules)
    expect(modules[0]!.slot).toBe("B1")
  })

  it("sees an unbalanced population, by count or by capacity", () => {
    const even = [module("A", "A1"), module("A", "A2", null), module("B", "B1"), module("B", "B2", null)]
    expect(balanced(slotColumns(even))).toBe(true)
    expect(balanced(slotColumns([...even, module("B", "B3")]))).toBe(false)
    expect(balanced(slotColumns([module("A", "A1"), module("B", "B1", "FB-DIMM", 2)]))).toBe(false)
  })

  it("shows a slot without a number by its whole name", () => {
    expect(shortSlot(module("A", "left"))).toBe("left")
  })
})
