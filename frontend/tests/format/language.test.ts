import { afterEach, describe, expect, it, vi } from "vitest"
import { verdictNumber } from "@/pages/run/claims"

describe("numbers of the pages", () => {
  afterEach(() => vi.unstubAllGlobals())

  it("follow the language of the pages and not that of the reader", async () => {
    vi.stubGlobal("navigator", { language: "de-DE" })
    vi.resetModules()
    const { fmt } = await import("@/format")
    expect(fmt.fixed(1145.5, 1)).toBe("1\u202f145.5")
    expect(fmt.calendarDay("2026-11-23")).toBe("23 Nov 2026")
  })

  it("invent no digits for what is counted", () => {
    expect(verdictNumber(2, "rules")).toBe("2\u00a0rules")
    expect(verdictNumber(1, "rules")).toBe("1\u00a0rule")
    expect(verdictNumber(11, "rules")).toBe("11\u00a0rules")
    expect(verdictNumber(0, "level")).toBe("none")
    expect(verdictNumber(2, "level")).toBe("level 2")
    expect(verdictNumber(-0.01664, "%")).toBe("\u22120.0166\u00a0%")
  })
})
