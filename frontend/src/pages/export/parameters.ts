/** Definition of each table as data: its parameters in order, and which choices each has. */

import type { ExportQuery, ExportTable } from "@/api/export"
import type { Schemas } from "@/api/client"
import { positive } from "@/lib/positive"
import type { RunRow } from "@/pages/runs/verdicts"
import { exportWords as words } from "@/strings/export"
import { runWords } from "@/strings/run"

export const PARAMETERS = [
  "run_id",
  "campaign_id",
  "nodes",
  "article",
  "part",
  "server",
  "against",
  "against_part",
  "ways",
  "modules",
  "workload",
  "level",
  "tariff_per_kwh",
  "currency",
  "hours",
  "configuration",
  "baseline",
  "factor",
  "new",
  "old",
  "figure",
  "sort",
  "top",
  "ignore",
  "axis",
  "target",
  "smallest_pct",
  "claim_w",
  "margin_w",
  "from_level",
  "rule",
] as const
export type Parameter = (typeof PARAMETERS)[number]

/** Parameters of a table; those that it cannot be made without come first and are listed in `NEEDED`. */
export const OF_TABLE: Record<ExportTable, readonly Parameter[]> = {
  results: ["rule"],
  run: ["run_id", "rule"],
  "cross-check": ["run_id", "rule"],
  "memory-slots": ["rule"],
  differences: ["run_id", "against"],
  compare: ["workload", "level", "baseline", "figure", "sort", "top", "smallest_pct", "rule"],
  memory: ["server", "workload", "level", "claim_w", "margin_w", "rule"],
  "memory-fit": ["server", "workload", "level", "claim_w", "margin_w", "rule"],
  "memory-predicted": ["ways", "modules", "workload", "level", "tariff_per_kwh", "currency", "hours"],
  "break-even": ["server", "against", "workload", "level", "rule"],
  parts: ["part", "server", "workload", "level", "rule"],
  "parts-fit": ["part", "server", "workload", "level", "rule"],
  "parts-break-even": ["part", "server", "against_part", "against", "workload", "level", "rule"],
  scaling: ["workload", "configuration", "from_level", "rule"],
  "load-levels": ["workload", "configuration", "rule"],
  deltas: ["factor", "new", "old", "workload", "figure", "ignore", "rule"],
  normalised: ["workload", "baseline", "figure", "rule"],
  "geometric-means": ["workload", "baseline", "from_level", "rule"],
  extrapolated: ["axis", "target", "workload", "configuration", "ignore", "rule"],
  factors: ["workload"],
  published: ["article"],
  suite: ["configuration"],
  "suite-levels": ["configuration"],
  eehpc: ["run_id", "nodes", "rule"],
  "mlperf-summary": ["campaign_id", "run_id", "rule"],
  procurement: ["campaign_id", "run_id", "rule"],
  certificates: [],
  meters: [],
}
const NEEDED: Partial<Record<ExportTable, readonly Parameter[]>> = {
  run: ["run_id"],
  "cross-check": ["run_id"],
  differences: ["run_id", "against"],
  compare: ["workload", "level"],
  memory: ["server", "workload", "level"],
  "memory-fit": ["server", "workload", "level"],
  "memory-predicted": ["ways"],
  "break-even": ["server", "against", "workload", "level"],
  parts: ["part"],
  "parts-fit": ["part"],
  "parts-break-even": ["part", "against_part"],
  deltas: ["factor", "new", "old"],
  extrapolated: ["target"],
  published: ["article"],
  eehpc: ["run_id"],
}
export const NUMBERS: readonly Parameter[] = [
  "nodes",
  "top",
  "target",
  "smallest_pct",
  "tariff_per_kwh",
  "hours",
  "claim_w",
  "margin_w",
  "from_level",
]
/** Numbers that count something. */
const COUNTS: readonly Parameter[] = ["nodes", "top"]
/** What the service takes where a number is not given, as the field shows it. */
export const TAKEN: Partial<Record<Parameter, string>> = { smallest_pct: "2", top: words.everyOne }

/** The number that a field of a parameter holds; null where it is none that the table takes. */
export function numberOf(parameter: Parameter, text: string): number | null {
  const number = positive(text)
  return number !== null && COUNTS.includes(parameter) && !Number.isInteger(number) ? null : number
}
/** Parameters that are only chosen: without values to choose from they are omitted. */
export const CHOSEN_ONLY: readonly Parameter[] = ["campaign_id"]
/** Parameters that always have a value, their first choice where none is given. */
export const USUAL: readonly Parameter[] = ["figure", "sort", "axis", "rule"]

/** Sources of the choices. */
export interface Known {
  runs: readonly RunRow[]
  published: readonly Schemas["PublishedTable"][]
  /** Parts with several counts. */
  parts: readonly Schemas["PartChoice"][]
  /** Factors that differ, with their values. */
  factors: ReadonlyMap<string, readonly string[]>
}
export type Chosen = Readonly<Record<Parameter, string>>

/** Tables of one server over its DIMM counts. */
const OF_MEMORY: readonly ExportTable[] = ["memory", "memory-fit", "break-even"]
/** Tables of one server over the number of its parts. */
export const OF_PARTS: readonly ExportTable[] = ["parts", "parts-fit", "parts-break-even"]

/** Sheets are made of complete runs, of one campaign where it is chosen. */
const SHEETS: readonly ExportTable[] = ["eehpc", "mlperf-summary", "procurement"]
const inCampaign = (run: RunRow, campaign: string): boolean => !campaign || run.campaign_id === campaign

const unique = (values: readonly string[]): string[] => [...new Set(values)].sort()
const matching = (runs: readonly RunRow[], chosen: Work, names: readonly ("server" | "workload" | "level")[]) =>
  runs.filter((run) => names.every((name) => !chosen[name] || run[name] === chosen[name]))
const configurations = (runs: readonly RunRow[]): string[] =>
  unique(runs.map((run) => `${run.server}/${run.configuration}`))

/** Values that a parameter can have, given what is chosen before it; empty: it is typed. */
export function valuesOf(parameter: Parameter, table: ExportTable, chosen: Chosen, available: Known): string[] {
  const { runs } = available
  if (OF_PARTS.includes(table)) return valuesOfParts(parameter, chosen, available)
  const ofMemory = OF_MEMORY.includes(table)
  const counted = unique(runs.filter((run) => run.dimm_count != null).map((run) => run.server))
  const from: Partial<Record<Parameter, () => string[]>> = {
    run_id: () =>
      runs
        .filter((run) => !SHEETS.includes(table) || (run.status === "complete" && inCampaign(run, chosen.campaign_id)))
        .map((run) => run.run_id),
    campaign_id: () => unique(runs.flatMap((run) => run.campaign_id ?? [])),
    article: () => available.published.map((article) => article.id),
    server: () => counted,
    against: () =>
      table === "differences"
        ? runs.map((run) => run.run_id).filter((id) => id !== chosen.run_id)
        : counted.filter((server) => server !== chosen.server),
    workload: () => unique(matching(runs, chosen, ofMemory ? ["server"] : []).map((run) => run.workload)),
    level: () =>
      unique(matching(runs, chosen, ofMemory ? ["server", "workload"] : ["workload"]).map((run) => run.level)),
    configuration: () => configurations(matching(runs, chosen, ["workload"])),
    baseline: () => configurations(matching(runs, chosen, table === "compare" ? ["workload", "level"] : ["workload"])),
    factor: () => [...available.factors.keys()],
    new: () => [...(available.factors.get(chosen.factor) ?? [])],
    old: () => (available.factors.get(chosen.factor) ?? []).filter((value) => value !== chosen.new),
    figure: () => Object.keys(words.figures),
    sort: () => Object.keys(words.sorts),
    axis: () => Object.keys(words.axes),
    rule: () => Object.keys(runWords.rules),
  }
  return from[parameter]?.() ?? []
}

function valuesOfParts(parameter: Parameter, chosen: Chosen, { parts }: Known): string[] {
  const names = { part: "key", server: "server", workload: "workload", level: "level" } as const
  if (parameter === "rule") return Object.keys(runWords.rules)
  if (parameter === "against_part" || parameter === "against") {
    const [kind] = chosen.part.split(": ")
    const alike = parts.filter((choice) => choice.kind === kind)
    return unique(alike.map((choice) => (parameter === "against" ? choice.server : choice.key)))
  }
  if (!(parameter in names)) return []
  const of = names[parameter as keyof typeof names]
  const before = (["part", "server", "workload"] as const).slice(0, Object.keys(names).indexOf(parameter))
  return unique(
    parts
      .filter((choice) => before.every((name) => !chosen[name] || choice[names[name]] === chosen[name]))
      .map((choice) => choice[of]),
  )
}

/** The request for a table; null while something that it needs is not chosen. */
export function queryOf(table: ExportTable, chosen: Chosen): ExportQuery | null {
  const wanted = OF_TABLE[table].flatMap((name) => {
    const text = NUMBERS.includes(name) ? (numberOf(name, chosen[name]) ?? "") : chosen[name]
    return text === "" ? [] : [[name, String(text)] as const]
  })
  const query = Object.fromEntries(wanted)
  return (NEEDED[table] ?? []).every((name) => name in query) ? query : null
}

export const isNeeded = (parameter: Parameter, table: ExportTable): boolean =>
  NEEDED[table]?.includes(parameter) ?? false

/** Factors and their values as the table of factors lists them. */
export function factorsOf(preview: Schemas["ExportPreview"] | undefined): Map<string, string[]> {
  return new Map(
    (preview?.rows ?? []).map(([name, values]) => [name ?? "", (values ?? "").split("; ").filter(Boolean)]),
  )
}

/** The table that the page opens on: a comparison, where some workload ran on two configurations. */
export function firstTable(runs: readonly RunRow[]): ExportTable {
  const busiest = comparisonOf(runs)
  return busiest && configurations(matching(runs, busiest, ["workload", "level"])).length > 1 ? "compare" : "results"
}

/** Default of a required parameter: of a comparison the workload and level with most runs. */
export function firstOf(parameter: Parameter, table: ExportTable, chosen: Chosen, available: Known): string | null {
  if (table !== "compare" || (parameter !== "workload" && parameter !== "level")) return null
  return comparisonOf(matching(available.runs, chosen, ["workload", "level"]))?.[parameter] ?? null
}

type Work = Pick<RunRow, "server" | "workload" | "level">

/** Workload and level with most runs, of those that several configurations ran if there are any. */
function comparisonOf(runs: readonly RunRow[]): Work | null {
  const works = new Map<string, RunRow[]>()
  for (const run of runs) {
    const key = `${run.workload}\u001f${run.level}`
    const others = works.get(key)
    if (others) others.push(run)
    else works.set(key, [run])
  }
  const several = (of: readonly RunRow[]): number => Number(configurations(of).length > 1)
  const most = [...works.values()].sort((a, b) => several(b) - several(a) || b.length - a.length)[0]
  return most?.[0] ?? null
}
