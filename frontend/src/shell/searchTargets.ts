/** What the search knows, and finding what somebody means by a few letters. */

import type { Schemas } from "@/api/client"
import { fmt } from "@/format"
import { runName } from "@/lib/names"
import { t } from "@/strings"
import { compareWords } from "@/strings/compare"
import { searchWords as words } from "@/strings/search"
import { PAGES } from "./navigation"

export interface Target {
  kind: string
  label: string
  note: string
  /** Address of a page; of an action only its name. */
  to: string
  /** What choosing it does instead of opening a page. */
  act?: () => void
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
    ...[...PAGES, ...MORE_PAGES].map(({ label, to }) => ({ kind: words.page, label, note: "", to })),
    ...(bench?.plans ?? []).map(planTarget),
    ...(bench?.servers ?? []).map(serverTarget),
    ...(bench?.servers ?? []).flatMap(configurationTargets),
    ...(bench?.meters ?? []).map(meterTarget),
    ...choices.map(choiceTarget),
    ...campaignTargets(runs),
    ...runs.map(runTarget),
    ...workloads.map(workloadTarget),
    ...tables.flatMap(systemTargets),
    ...tables.map(({ id, title, source }) => ({
      kind: words.table,
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
  kind: words.server,
  label: server.title,
  note: [server.id, ...server.configurations.map((configuration) => configuration.title)].join(", "),
  to: `/servers/${encodeURIComponent(server.id)}`,
})

/** A build is found by its title and by its id; its runs tell most of it. */
const configurationTargets = (server: Schemas["ServerOut"]): Target[] =>
  server.configurations.map(({ id, title }) => ({
    kind: words.configuration,
    label: `${server.title} · ${title}`,
    note: `${server.id}/${id}`,
    to: `/runs?${new URLSearchParams({ configuration: `${server.id}/${id}` })}`,
  }))

const SYSTEM = "System"
/** Each system that a published table names. */
function systemTargets({ id, title, columns, rows }: Schemas["PublishedTable"]): Target[] {
  const at = columns.indexOf(SYSTEM)
  const names = new Set(rows.map((row) => row[at]).filter((name) => typeof name === "string"))
  return [...names].map((name) => ({
    kind: words.table,
    label: name,
    note: title,
    to: `/library/${id}?${new URLSearchParams({ system: name })}`,
  }))
}

const meterTarget = (meter: Schemas["MeterOut"]): Target => ({
  kind: words.meter,
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
    kind: words.campaign,
    label: words.campaignOf(fmt.dateTime(created)),
    note: id,
    to: `/runs?${new URLSearchParams({ q: id })}`,
  }))
}

/** A workload that has figures is compared, */
const choiceTarget = ({ workload, level, title, measured, published }: Schemas["CompareChoice"]): Target => ({
  kind: t.nav.compare,
  label: title.includes(level) ? title : `${title}, ${level}`,
  note: compareWords.choiceNote(measured, published),
  to: `/compare?${new URLSearchParams({ workload, level })}`,
})

/** and one that can be run is planned. */
const workloadTarget = ({ id, title }: Schemas["WorkloadOut"]): Target => ({
  kind: words.workload,
  label: title,
  note: words.planIt(id),
  to: `/plans/new?${new URLSearchParams({ workload: id })}`,
})

/** Of one kind at most so many come before the first of the others: a hundred runs shall not hide a comparison. */
const MOST_OF_KIND = 5

/** Targets that contain every word: names that begin with the text first, then names that hold all words. */
export function search(targets: readonly Target[], text: string, limit: number): Target[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
  const begin = wanted.join(" ")
  const seen = new Map<string, number>()
  const rank = (target: Target): number => {
    const label = target.label.toLowerCase()
    if (label.startsWith(begin)) return 0
    return wanted.every((word) => label.includes(word)) ? 1 : 2
  }
  return targets
    .filter((target) => {
      const hay = `${target.kind} ${target.label} ${target.note}`.toLowerCase()
      return wanted.every((word) => hay.includes(word))
    })
    .map((target) => ({ target, rank: rank(target) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ target }) => {
      const before = seen.get(target.kind) ?? 0
      seen.set(target.kind, before + 1)
      return { target, isOneOfMany: before >= MOST_OF_KIND }
    })
    .sort((a, b) => Number(a.isOneOfMany) - Number(b.isOneOfMany))
    .slice(0, limit)
    .map(({ target }) => target)
}
