import { describe, expect, it } from "vitest"
import { ApiProblem } from "@/api/client"
import { elsewhere, messageAt, mistakesOf, type Mistake } from "@/lib/edits"

const mistake = (path: Mistake["path"], message: string): Mistake => ({ path, message, where: "", line: null })
const mistakes = [
  mistake(["feeds", 0, "server"], "no such server"),
  mistake(["feeds", 1, "server"], "no such server"),
  mistake(["period_s"], "more than 0"),
  mistake([], "unknown"),
  mistake(null, "plan 'night' names it"),
]

describe("mistakes at their fields", () => {
  it("are found at the field and at whatever holds it, each said once", () => {
    expect(messageAt(mistakes, "feeds", 0, "server")).toBe("no such server")
    expect(messageAt(mistakes, "feeds")).toBe("no such server")
    expect(messageAt(mistakes, "feeds", 0, "psus")).toBeNull()
    expect(messageAt(mistakes, "period_s")).toBe("more than 0")
    expect(messageAt([mistake(["range"], "x")], "range_id")).toBeNull()
  })

  it("are left over where no field shows them", () => {
    expect(elsewhere(mistakes, [["feeds"], ["period_s"]]).map((mistake) => mistake.message)).toEqual([
      "unknown",
      "plan 'night' names it",
    ])
    expect(elsewhere(mistakes, [["feeds", 1]])).toHaveLength(4)
  })

  it("are read from the answer of a change and from no other failure", () => {
    const problem = { cause: "c", remedy: "r", detail: "", mistakes: mistakes }
    expect(mistakesOf(new ApiProblem(problem, 422))).toEqual(mistakes)
    expect(mistakesOf(new ApiProblem({ cause: "c", remedy: "r", detail: "" }, 502))).toEqual([])
    expect(mistakesOf(new Error("x"))).toEqual([])
  })
})
