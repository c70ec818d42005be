/** What the search knows, and finding what somebody means by a few letters. */

import type { Schemas } from "@/api/client"
import { fmt } from "@/format"
import { runName } from "@/lib/names"
import { t } from "@/strings"
import { compareWords } from "@/strings/compare"
import { PAGES } from "./navigation"

export interface Target {
  kind: string
  label: string
  note: string
  to: string
}

/** What targets are made of; a part that has not come yet is empty. */
export interface Known {
  runs: readonly Schemas["RunRow"][]
  bench: Pick<Schemas["BenchOut"], "servers" | "meters" | "plans"> | undefined
  choices: readonly Schemas["CompareChoice"][]
  workloads: readonly Schemas["WorkloadOut"][]
  tables: readonly Schemas["PublishedTable"][]
}

const MORE_PAGES = [
  { to: "/start", label: t.nav.start },
  { to: "/alarms", label: t.nav.alarms },
  { to: "/plans/new", label: t.nav.newPlan },
]

/** Pages first, then what stands on the bench, then what was measured and published. */
export function targetsOf({ runs, bench, choices, workloads, tables }: Known): Target[] {
  return [
    ...[...PAGES, ...MORE_PAGES].map(({ label, to }) => ({ kind: t.search.page, label, note: "", to })),
    ...(bench?.plans ?? []).map(planTarget),
    ...(bench?.servers ?? []).map(serverTarget),
    ...(bench?.meters ?? []).map(meterTarget),
    ...campaignTargets(runs),
    ...runs.map(runTarget),
    ...choices.map(choiceTarget),
    ...workloads.map(workloadTarget),
    ...tables.map(({ id, title, source }) => ({
      kind: t.search.table,
      label: title,
      note: source,
      to: `/library/${id}`,
    })),
  ]
}

const planTarget = (plan: Schemas["PlanOut"]): Target => ({
  kind: t.nav.plan,
  label: plan.name,
  note: plan.workloads.join(", "),
  to: `/plans/${encodeURIComponent(plan.name)}`,
})

const serverTarget = (server: Schemas["ServerOut"]): Target => ({
  kind: t.search.server,
  label: server.title,
  note: [server.id, ...server.configurations.map((configuration) => configuration.title)].join(", "),
  to: `/servers/${encodeURIComponent(server.id)}`,
})

const meterTarget = (meter: Schemas["MeterOut"]): Target => ({
  kind: t.search.meter,
  label: meter.id,
  note: meter.title,
  to: `/meters?${new URLSearchParams({ at: meter.id })}`,
})

const runTarget = (run: Schemas["RunRow"]): Target => ({
  kind: t.run.one,
  label: runName(run),
  note: run.run_id,
  to: `/runs/${run.run_id}`,
})

/** Each campaign that runs tell of, by when it began. */
function campaignTargets(runs: readonly Schemas["RunRow"][]): Target[] {
  const begun = new Map<string, string>()
  for (const { campaign_id: id, created } of runs) if (id && !(begun.get(id)! <= created)) begun.set(id, created)
  return [...begun].map(([id, created]) => ({
    kind: t.search.campaign,
    label: t.search.campaignOf(fmt.dateTime(created)),
    note: id,
    to: `/runs?${new URLSearchParams({ q: id })}`,
  }))
}

/** A workload that has figures is compared, */
const choiceTarget = ({ workload, level, title, measured, published }: Schemas["CompareChoice"]): Target => ({
  kind: t.search.workload,
  label: title.includes(level) ? title : `${title}, ${level}`,
  note: compareWords.choiceNote(measured, published),
  to: `/compare?${new URLSearchParams({ workload, level })}`,
})

/** and one that can be run is planned. */
const workloadTarget = ({ id, title }: Schemas["WorkloadOut"]): Target => ({
  kind: t.search.workload,
  label: title,
  note: t.search.planIt(id),
  to: `/plans/new?${new URLSearchParams({ workload: id })}`,
})

/** Targets that contain every word; those whose name begins with the text come first. */
export function search(targets: readonly Target[], text: string, limit: number): Target[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const rank = (target: Target): number => (target.label.toLowerCase().startsWith(words.join(" ")) ? 0 : 1)
  return targets
    .filter((target) => {
      const hay = `${target.kind} ${target.label} ${target.note}`.toLowerCase()
      return words.every((word) => hay.includes(word))
    })
    .sort((a, b) => rank(a) - rank(b))
    .slice(0, limit)
}
