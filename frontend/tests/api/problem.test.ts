import { describe, expect, it } from "vitest"
import { ApiProblem, asProblem, body, problemOf } from "@/api/client"

const refused = { status: 409, statusText: "Conflict", url: "/api/campaign" }

describe("errors of the service", () => {
  it("keep the words of the service", () => {
    const problem = { cause: "A campaign runs already.", remedy: "Stop it first.", detail: "", field: null }
    expect(asProblem(problem, refused)).toEqual(problem)
  })

  it("fold what is no problem into the technical line", () => {
    const problem = asProblem("<html>", { status: 502, statusText: "Bad Gateway", url: "/api/runs" })
    expect(problem.cause).toMatch(/cannot read/)
    expect(problem.detail).toContain("502 Bad Gateway /api/runs")
  })

  it("turn silence into a cause and a remedy", async () => {
    const failure = await body(Promise.reject(new TypeError("Failed to fetch"))).catch((reason: unknown) => reason)
    expect(failure).toBeInstanceOf(ApiProblem)
    expect((failure as ApiProblem).status).toBe(0)
    expect(problemOf(failure).cause).toBe("The service does not answer.")
  })

  it("throw with the status, and give the body otherwise", async () => {
    const no = { error: { cause: "There is no run x." }, response: new Response(null, { status: 404 }) }
    await expect(body(Promise.resolve(no))).rejects.toMatchObject({ status: 404, message: "There is no run x." })
    await expect(body(Promise.resolve({ data: [1], response: new Response() }))).resolves.toEqual([1])
  })
})
