/** What is done on the way from an empty bench to a comparison, and what comes next. */

import type { Schemas } from "@/api/client"
import type { StepName } from "@/strings/start"

export interface Step {
  name: StepName
  to: string
  state: "done" | "next" | "later"
}

interface Bench {
  meters: readonly Pick<Schemas["MeterOut"], "role" | "server">[]
  servers: readonly unknown[]
  plans: readonly unknown[]
}
type Run = Pick<Schemas["Result"], "status" | "source">

/** A server is described once a wall meter feeds it: without that no figure has watts. */
export function stepsOf(bench: Bench, runs: readonly Run[]): Step[] {
  const walls = bench.meters.filter((meter) => meter.role === "wall")
  const fed = walls.some((meter) => meter.server !== null)
  const measured = runs.some((run) => run.status === "complete" && !run.source.startsWith("imported"))
  const order: [StepName, string, boolean][] = [
    ["meter", "/meters?edit=model", walls.length > 0],
    ["server", bench.servers.length ? "/servers" : "/servers?edit=new", bench.servers.length > 0 && fed],
    ["plan", "/plans/new", bench.plans.length > 0],
    ["run", "/campaign", measured],
    ["compare", "/compare", measured],
  ]
  const next = order.findIndex(([, , done]) => !done)
  return order.map(([name, to, done], at) => ({ name, to, state: done ? "done" : at === next ? "next" : "later" }))
}

/** Whether the appliance, opened without naming a page, has an answer to show in place of the first steps. */
export const opensCompare = (path: string, runs: readonly unknown[]): boolean => path === "/" && runs.length > 0

export const nextOf = (steps: readonly Step[]): Step | null => steps.find((step) => step.state === "next") ?? null
