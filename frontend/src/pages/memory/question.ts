/** The question which modules to buy, from what is typed. */

import type { PredictedMemory, PredictedRequest, PredictedDifference, PredictedWay } from "@/api/predictedMemory"
import type { ExportQuery } from "@/api/export"
import { positive } from "@/lib/positive"

export const HOURS_A_YEAR = 8760
/** As many ways as the service takes at once. */
export const MOST_WAYS = 8
/** The question that the page opens with. */
export const OPENING = "6 x 32; 12 x 16"

export interface Typed {
  ways: string
  kind: string
  level: string
  workload: string
  tariff: string
  currency: string
  hours: string
}

export interface Load {
  workload: string
  level: string
}

/** Active idle, which no workload names. */
export const IDLE: Load = { workload: "", level: "" }
export const keyOf = ({ workload, level }: Load): string => JSON.stringify([workload, level])
export function loadOf(key: string): Load {
  const [workload, level] = JSON.parse(key) as [string, string]
  return { workload, level }
}

/** The loads of choices of servers, each once, in their order. */
export function loadsOf(choices: readonly Load[]): Load[] {
  const keys = new Set(choices.map(keyOf))
  return [...keys].map(loadOf)
}

/** Ways of populating as they are typed, one a line or with semicolons between. */
export function waysOf(text: string): string[] {
  return text
    .split(/[;\n]/)
    .map((way) => way.trim())
    .filter(Boolean)
}

/** What is asked; numbers that are none are not asked for. */
export function requestOf(typed: Typed): PredictedRequest {
  const asked: PredictedRequest = { way: waysOf(typed.ways).slice(0, MOST_WAYS) }
  const [tariff, hours] = [positive(typed.tariff), positive(typed.hours)]
  if (typed.kind) asked.kind = typed.kind
  if (typed.level) asked.level = typed.level
  if (typed.level && typed.workload) asked.workload = typed.workload
  if (tariff !== null) asked.tariff_per_kwh = tariff
  if (tariff !== null && /^[A-Za-z]{3}$/.test(typed.currency)) asked.currency = typed.currency
  if (hours !== null && hours <= HOURS_A_YEAR) asked.hours = hours
  return asked
}

/** The same question as the parameters of its table. */
export function exportOf(request: PredictedRequest): ExportQuery {
  const { way, kind, ...rest } = request
  const same = Object.entries(rest).map(([name, value]) => [name, String(value)])
  return { ...Object.fromEntries(same), ways: (way ?? []).join("; "), ...(kind ? { modules: kind } : {}) }
}

/** A way with its difference from the first one; null: it is the first. */
export interface AnswerRow {
  way: PredictedWay
  difference: PredictedDifference | null
}
export function rowsOf(answer: PredictedMemory): AnswerRow[] {
  return answer.ways.map((way, place) => ({ way, difference: place ? (answer.differences[place - 1] ?? null) : null }))
}
