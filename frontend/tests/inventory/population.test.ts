import { describe, expect, it } from "vitest"
import {
  emptyBoard,
  fillOrder,
  move,
  neighbour,
  population,
  preset,
  put,
  withRoom,
  type ModuleEntry,
  type Slots,
} from "@/inventory/population"

const dimm: ModuleEntry = { type: "FB-DIMM", capacity_gib: 2 }
const board = emptyBoard(4, 2)
const filled = (slots: Slots): string[] => Object.keys(slots).filter((slot) => slots[slot])

describe("presets", () => {
  it("fill the first slot of every channel before the second of any", () => {
    expect(fillOrder(board)).toEqual(["A1", "B1", "C1", "D1", "A2", "B2", "C2", "D2"])
    expect(filled(preset(board, 2, dimm)).sort()).toEqual(["A1", "B1"])
    expect(filled(preset(board, 4, dimm)).sort()).toEqual(["A1", "B1", "C1", "D1"])
  })

  it("make room for sixteen on four channels, and empty what they do not fill", () => {
    const sixteen = preset(board, 16, dimm)
    expect(Object.keys(sixteen)).toHaveLength(16)
    expect(population(sixteen)).toEqual({ dimms: 16, capacityGib: 32, even: true })
    expect(filled(preset(sixteen, 4, dimm))).toHaveLength(4)
    expect(Object.keys(preset(sixteen, 4, dimm))).toHaveLength(16)
  })

  it("count persistent memory as no DIMM", () => {
    const beside = put(preset(board, 4, dimm), "A2", { type: "PMem", capacity_gib: 126.375 })
    expect(population(beside)).toMatchObject({ dimms: 4, capacityGib: 8 })
  })

  it("keep the names that a board prints", () => {
    expect(Object.keys(withRoom({ DIMM_A1: null, DIMM_B1: null }, 3))).toEqual([
      "DIMM_A1",
      "DIMM_B1",
      "DIMM_A2",
      "DIMM_B2",
    ])
  })
})

describe("moving a module", () => {
  it("empties its slot, or trades places", () => {
    const oneFitted = put(board, "A1", dimm)
    expect(filled(move(oneFitted, "A1", "C2"))).toEqual(["C2"])
    const twoFitted = put(oneFitted, "B1", { ...dimm, capacity_gib: 4 })
    const traded = move(twoFitted, "A1", "B1")
    expect([traded.A1?.capacity_gib, traded.B1?.capacity_gib]).toEqual([4, 2])
  })

  it("leaves the channel with the slot", () => {
    const named: Slots = { P1: { ...dimm, channel: "left" }, P2: { ...dimm, channel: "right" }, P3: null }
    const traded = move(named, "P1", "P2")
    expect([traded.P1?.channel, traded.P2?.channel]).toEqual(["left", "right"])
    expect(move(named, "P1", "P3").P3?.channel).toBeUndefined()
  })

  it("unbalances the channels, which is told", () => {
    const even = preset(board, 4, dimm)
    expect(population(even).even).toBe(true)
    expect(population(move(even, "D1", "A2")).even).toBe(false)
  })
})

describe("arrow keys", () => {
  it("go along the board and stop at its edges", () => {
    expect(neighbour(board, "A1", "ArrowRight")).toBe("B1")
    expect(neighbour(board, "B1", "ArrowDown")).toBe("B2")
    expect(neighbour(board, "B2", "ArrowLeft")).toBe("A2")
    expect(neighbour(board, "A1", "ArrowUp")).toBeNull()
    expect(neighbour(board, "D2", "ArrowRight")).toBeNull()
    expect(neighbour(board, "A1", "Enter")).toBeNull()
  })
})
