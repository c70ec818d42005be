import { describe, expect, it } from "vitest"
import { freeId, fromText, readAt, toText, withoutEmpty, writeAt } from "@/inventory/entry"

describe("an entry in a form", () => {
  it("gives and takes a value at its place, and stays as it was", () => {
    const entry = { cpu: { model: "Xeon 5160" }, psus: [{ id: "psu1" }] }
    expect(readAt(entry, ["cpu", "model"])).toBe("Xeon 5160")
    expect(readAt(entry, ["price", "amount"])).toBeUndefined()
    expect(writeAt(entry, ["psus", 0, "rated_w"], 450).psus).toEqual([{ id: "psu1", rated_w: 450 }])
    expect(writeAt(entry, ["price", "amount"], 9)).toMatchObject({ price: { amount: 9 } })
    expect(entry).toEqual({ cpu: { model: "Xeon 5160" }, psus: [{ id: "psu1" }] })
  })

  it("excludes what is not said", () => {
    const emptied = writeAt({ price: { amount: 9 } }, ["price", "amount"], undefined)
    expect(emptied).toEqual({ price: {} })
    expect(withoutEmpty(emptied, ["price"])).toEqual({})
    expect(writeAt([1, 2], [0], undefined)).toEqual([2])
  })

  it("reads numbers and lists, and passes on what is not a number", () => {
    expect(fromText("number", " 450 ")).toBe(450)
    expect(fromText("number", "much")).toBe("much")
    expect(fromText("number", "")).toBeUndefined()
    expect(fromText("list", "SSD 240 GB, HDD 1 TB,")).toEqual(["SSD 240 GB", "HDD 1 TB"])
    expect(toText(["a", "b"])).toBe("a, b")
    expect(toText(undefined)).toBe("")
  })

  it("makes identifiers that are free", () => {
    expect(freeId("Dell 2950 (lab)", [], "server")).toBe("dell-2950-lab")
    expect(freeId("Dell 2950", ["dell-2950", "dell-2950-2"], "server")).toBe("dell-2950-3")
    expect(freeId("  ", [], "server")).toBe("server")
  })
})
