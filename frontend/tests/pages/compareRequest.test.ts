import { QueryClient } from "@tanstack/vue-query"
import { expect, it, vi } from "vitest"
import { unref } from "vue"
import { askAhead, compareRequest } from "@/pages/compare/request"

const asked = { workload: "w", level: "all", baseline: "", by: "power", smallest: "1,5", anyVersion: "" }

it("asks for nothing before a workload is chosen, and excludes what the service chooses", () => {
  expect(compareRequest({ ...asked, workload: "" })).toBeNull()
  expect(compareRequest(asked)).toEqual({ workload: "w", level: "all", figure: "power", smallest_pct: 1.5 })
  expect(compareRequest({ ...asked, anyVersion: "1" })).toMatchObject({ any_version: true })
  expect(compareRequest({ ...asked, baseline: "b", smallest: "x" })).toEqual({
    workload: "w",
    level: "all",
    figure: "power",
    baseline: "b",
  })
})

it("asks ahead under the keys that the page looks under", () => {
  const client = new QueryClient()
  const asking = vi.spyOn(client, "prefetchQuery").mockResolvedValue()
  askAhead(client, { workload: "w", level: "all" })
  expect(asking.mock.calls.map(([query]) => unref(unref(query).queryKey))).toEqual([
    ["compare", "choices"],
    ["compare", compareRequest({ ...asked, by: "efficiency", smallest: "2" })],
  ])
})
