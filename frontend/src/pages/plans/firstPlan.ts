/** What a new plan begins with, so that a bench that is described needs no more than a look and a start. */

import type { Schemas } from "@/api/client"
import type { Entries } from "@/lib/edits"
import { leveled } from "./loads"
import type { Known } from "./planForm"
import { ready, type Workload } from "./workloads"

type Bench = Pick<Entries["bench"], "servers" | "meters" | "plans">

/** More configurations than these are chosen by a person. */
const MOST = 8
/** Steady, bound by the CPU and on almost every machine; published figures stand beside it. */
const USUAL = "openssl.rsa2048-sign"
const FIRST_NAME = "first"

/**
 * All configurations that a wall meter measures, and the workload that is asked for or a usual one that can run, at
 * several loads where that is asked.
 */
export function firstPlan(bench: Bench, workloads: readonly Workload[], asked?: string, atLevels = false): Known {
  const workload = asked ? workloads.find((workload) => workload.id === asked) : usual(workloads)
  const configurations = measured(bench)
  return {
    ...(bench.plans?.length ? {} : { name: FIRST_NAME }),
    ...(configurations.length <= MOST ? { configurations } : {}),
    ...(workload ? { workloads: [workload.id] } : {}),
    ...(workload && atLevels ? leveled([workload]) : {}),
  }
}

function usual(workloads: readonly Workload[]): Workload | undefined {
  const able = workloads.filter(ready)
  return able.find((workload) => workload.id === USUAL) ?? able.find((workload) => workload.limited_by === "cpu")
}

function measured({ servers = [], meters = [] }: Bench): string[] {
  const fed = new Set(meters.flatMap((meter) => (meter.role === "secondary" ? [] : feedsOf(meter))))
  return servers
    .filter((server) => fed.has(server.id))
    .flatMap((server) => server.configurations.map((configuration) => `${server.id}/${configuration.id}`))
}

const feedsOf = (meter: Schemas["Meter"]): string[] => (meter.feeds ?? []).map((feed) => feed.server)
