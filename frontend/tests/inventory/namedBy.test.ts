import { describe, expect, it } from "vitest"
import { namedBy } from "@/inventory/namedBy"
import type { Entries } from "@/lib/edits"
import { editorWords as words } from "@/strings/servers"

const bench = {
  meters: [{ feeds: [{ server: "s" }, { server: "t" }] }, { feeds: [{ server: "t" }] }, {}],
  bmcs: [{ server: "s" }],
  plans: [{ configurations: ["s/a", "s/b"] }, { configurations: ["ss/a"] }, { configurations: ["t/a"] }],
} as unknown as Entries["bench"]

describe("what follows a new name", () => {
  it("is what names the server, or that configuration of it", () => {
    expect(namedBy(bench, "s")).toEqual({ meters: 1, bmcs: 1, plans: 1 })
    expect(namedBy(bench, "t")).toEqual({ meters: 2, bmcs: 0, plans: 1 })
    expect(namedBy(bench, "s", "b")).toEqual({ meters: 0, bmcs: 0, plans: 1 })
    expect(namedBy(bench, "s", "c")).toEqual({ meters: 0, bmcs: 0, plans: 0 })
  })

  it("is said before it happens", () => {
    expect(words.renames({ meters: 1, bmcs: 1, plans: 2 })).toContain(
      "1 meter, 1 BMC and 2 plans refer to it and will be updated.",
    )
    expect(words.renames({ meters: 0, bmcs: 0, plans: 1 })).toContain("1 plan refers to it and will be updated.")
    expect(words.renames({ meters: 0, bmcs: 0, plans: 0 })).toBe("Existing runs keep the old name.")
  })
})
