import { describe, expect, it } from "vitest"
import { search, type Target } from "@/shell/searchTargets"

const targets: Target[] = [
  { kind: "Run", label: "2 FB-DIMM, rsa2048-sign", note: "20261119-001", to: "/runs/1" },
  { kind: "Page", label: "Runs", note: "", to: "/runs" },
  { kind: "Server", label: "S5000", note: "2 FB-DIMM, 4 FB-DIMM", to: "/servers/s5000" },
]

describe("search", () => {
  it("wants every word, anywhere", () => {
    expect(search(targets, "fb-dimm server", 9).map((one) => one.to)).toEqual(["/servers/s5000"])
    expect(search(targets, "001", 9).map((one) => one.to)).toEqual(["/runs/1"])
  })

  it("puts names that begin with the text first and stops at the limit", () => {
    expect(search(targets, "run", 9)[0]!.to).toBe("/runs")
    expect(search(targets, "", 2)).toHaveLength(2)
  })
})
