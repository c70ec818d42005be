/** The typed client of the service; every failure leaves it as an `ApiProblem` in words. */

import createClient from "openapi-fetch"
import { t } from "@/strings"
import type { components, paths } from "./schema"

export type Schemas = components["schemas"]
export type Problem = Schemas["Problem"]

export class ApiProblem extends Error {
  constructor(
    readonly problem: Problem,
    readonly status: number,
  ) {
    super(problem.cause)
    this.name = "ApiProblem"
  }
}

/** Query parameters of a GET route. */
export type QueryOf<Path extends keyof paths> = paths[Path] extends {
  get: { parameters: { query?: infer Query } }
}
  ? NonNullable<Query>
  : never

export const api = createClient<paths>({ baseUrl: "/" })

interface Answer<T> {
  data?: T
  error?: unknown
  response: Response
}

/** Wait for an answer and return its body; throws an `ApiProblem`. */
export async function body<T>(request: Promise<Answer<T>>): Promise<T> {
  const answer = await request.catch((reason: unknown) => {
    if (reason instanceof DOMException && reason.name === "AbortError") throw reason
    throw new ApiProblem({ ...t.problem.unreachable, detail: String(reason) }, 0)
  })
  if (answer.response.ok) return answer.data as T
  throw new ApiProblem(asProblem(answer.error, answer.response), answer.response.status)
}

/** Read any error body as a problem; a body that is not a problem object goes into the detail. */
export function asProblem(error: unknown, response: Pick<Response, "status" | "statusText" | "url">): Problem {
  if (typeof error === "object" && error !== null && "cause" in error && typeof error.cause === "string") {
    return error as Problem
  }
  const detail = `${response.status} ${response.statusText} ${response.url} ${JSON.stringify(error) ?? ""}`.trim()
  return { ...t.problem.unexpected, detail }
}

/** Convert any thrown value to a problem that can be shown. */
export function problemOf(reason: unknown): Problem {
  return reason instanceof ApiProblem ? reason.problem : { ...t.problem.page, detail: String(reason) }
}
