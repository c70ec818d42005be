import { describe, expect, it } from "vitest"
import { figureUrl, hasFigure, offered, reportUrl } from "@/pages/export/products"

describe("what can be taken away", () => {
  it("is a figure only where the service draws one", () => {
    expect(["compare", "run", "results", "factors"].map(hasFigure)).toEqual([true, true, false, false])
    expect(figureUrl("memory", "pdf", { server: "a b", level: "all" })).toBe(
      "/api/export/figure/memory.pdf?server=a+b&level=all",
    )
  })

  it("is a report of one run or of all", () => {
    expect(reportUrl("r1")).toBe("/api/export/report.html?run_id=r1")
    expect(reportUrl()).toBe("/api/export/report.html")
  })

  it("names each format once, and what a package more would give", () => {
    expect(offered(["csv", "tex"])).toEqual(["csv", "tex", "parquet"])
    expect(offered(["csv", "parquet"])).toEqual(["csv", "parquet"])
  })
})
