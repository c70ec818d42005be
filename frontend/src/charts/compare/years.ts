/** Published figures over the years: by hardware availability or publication date, with each year's median. */

import { median } from "d3-array"
import { figureOf, type Claim, type Compare, type Group } from "./points"

export const DATES = ["available", "published"] as const
export type DateKind = (typeof DATES)[number]

export interface YearPoint {
  group: Group
  date: string
  /** Years since year 0, with their fraction. */
  at: number
  value: number
}

export interface Year {
  year: number
  count: number
  median: number
  best: YearPoint
}

/** First year of a date that can be, as the service judges it. */
const FIRST_YEAR = 1988
const DAYS = 366
const MS_PER_DAY = 86_400_000

/** The instant of a date in years; null where it is none, or none that can be: hardware is announced a year ahead at most. */
export function yearsOf(date: string | null | undefined, now = Date.now()): number | null {
  const instant = Date.parse(date ?? "")
  if (Number.isNaN(instant) || instant > now + DAYS * MS_PER_DAY) return null
  const year = new Date(instant).getUTCFullYear()
  if (year < FIRST_YEAR) return null
  return year + (instant - Date.UTC(year, 0, 1)) / MS_PER_DAY / DAYS
}

/** Published figures with a date, in its order. */
export function yearPoints(groups: readonly Group[], claim: Claim, kind: DateKind): YearPoint[] {
  return groups
    .flatMap((group) => {
      const date = kind === "available" ? group.facts?.available_on : group.facts?.published_on
      const [at, figure] = [yearsOf(date), figureOf(group, claim)]
      return group.kind === "published" && at !== null && figure && figure.value > 0
        ? { group, date: date!, at, value: figure.value }
        : []
    })
    .sort((a, b) => a.at - b.at)
}

/** Results of which a narrowed figure can be asked for by their keys. */
export const MOST_KEYS = 300

/** Address of the figure for print, of all results or of those in sight; null where these are too many to name. */
export function yearsPdfUrl(compare: Compare, shown: readonly YearPoint[], kind: DateKind): string | null {
  const claim = compare.compared_by
  const query = new URLSearchParams({ workload: compare.workload, level: compare.level, figure: claim, dates: kind })
  const all = yearPoints(compare.groups, claim, kind).length
  if (shown.length < all && shown.length > MOST_KEYS) return null
  if (shown.length < all) query.set("keys", shown.map((point) => point.group.key).join(","))
  return `/api/export/figure/years.pdf?${query}`
}

/** Points by calendar year, with their median and the best of them. */
export function byYear(points: readonly YearPoint[], lower: boolean): Year[] {
  const years = new Map<number, YearPoint[]>()
  for (const point of points) {
    const year = Math.floor(point.at)
    years.set(year, [...(years.get(year) ?? []), point])
  }
  return [...years].map(([year, of]) => ({
    year,
    count: of.length,
    median: median(of, (point) => point.value)!,
    best: of.reduce((a, b) => (lower === b.value < a.value ? b : a)),
  }))
}
