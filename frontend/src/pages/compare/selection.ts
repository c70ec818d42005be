/** Which configurations of a comparison are seen: searched, chosen by facets, cut to the best, and never without pins. */

import {
  figureOf,
  lowerIsBetter,
  pointOf,
  points,
  type Compare,
  type CompareQuantity,
  type Group,
} from "@/charts/compare/points"
import { fmt } from "@/format"
import { t } from "@/strings"
import { compareWords as words } from "@/strings/compare"

/** Criteria for choosing configurations, in the order offered. */
export const FACETS = [
  "server",
  "maker",
  "cpu",
  "memory",
  "modules",
  "lab",
  "source",
  "collection",
  "year",
  "tag",
] as const
export type Facet = (typeof FACETS)[number]
export type Chosen = Readonly<Record<Facet, readonly string[]>>

const one = (value: string | number | null | undefined): string[] =>
  value == null || value === "" ? [] : [String(value)]
const VALUES: Record<Facet, (group: Group) => string[]> = {
  server: (group) => one(group.kind === "published" ? null : group.server),
  maker: (group) => one(group.facts?.maker),
  cpu: (group) => one(group.facts?.cpu),
  memory: (group) => one(group.facts?.memory_type),
  modules: (group) => one(group.dimm_count),
  lab: (group) => one(group.facts?.lab),
  source: (group) => one(t.kind[group.kind]),
  collection: (group) => one(group.facts?.collection),
  year: (group) => one(group.facts?.year),
  tag: (group) => group.facts?.tags ?? [],
}

export interface Selection {
  text: string
  facets: Chosen
  pins: ReadonlySet<string>
  onlyPins: boolean
  /** Largest number shown, best first; null: all. */
  top: number | null
}

/** Groups that the search and the facets leave, but for one facet, whose counts are wanted. */
function fitting(groups: readonly Group[], { text, facets }: Pick<Selection, "text" | "facets">, but?: Facet): Group[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
  const asked = FACETS.filter((facet) => facet !== but && facets[facet].length)
  return groups.filter((group) => {
    if (!asked.every((facet) => VALUES[facet](group).some((value) => facets[facet].includes(value)))) return false
    return !wanted.length || wanted.every((word) => searched(group).includes(word))
  })
}

function searched(group: Group): string {
  const values = FACETS.flatMap((facet) => VALUES[facet](group))
  return [group.name, group.title, group.key, group.source, ...values].join(" ").toLowerCase()
}

/** How many ways of narrowing the selection are in use. */
export const narrowings = ({ text, facets, top, onlyPins }: Selection): number =>
  FACETS.filter((facet) => facets[facet].length).length + [text, top !== null, onlyPins].filter(Boolean).length

/** The groups in sight, in the order of the service; those that are pinned and the baseline are always among them. */
export function selected(compare: Compare, selection: Selection, quantity: CompareQuantity): Group[] {
  const always = (group: Group) => selection.pins.has(group.key) || group.key === compare.baseline
  if (selection.onlyPins) return compare.groups.filter(always)
  const left = fitting(compare.groups, selection)
  const best = selection.top === null ? left : bestOf(compare, left, quantity).slice(0, selection.top)
  const keys = new Set(best.map((group) => group.key))
  return compare.groups.filter((group) => keys.has(group.key) || always(group))
}

/** Best first, measured before simulated before published, of each the ranked first; without the quantity last. */
function bestOf(compare: Compare, groups: readonly Group[], quantity: CompareQuantity): Group[] {
  const standing = ({ kind, rank_low }: Group) =>
    2 * ({ simulated: 1, published: 2 }[kind as string] ?? 0) + Number(rank_low == null)
  const withQuantity = points(compare, quantity, groups)
    .map((point) => point.group)
    .sort((a, b) => standing(a) - standing(b))
  return [...withQuantity, ...groups.filter((group) => !withQuantity.includes(group))]
}

export interface FacetChoice {
  facet: Facet
  values: { value: string; count: number }[]
}

/** Facets with how many configurations each value would leave; those that would change nothing are omitted. */
export function facetChoices(compare: Compare, selection: Selection): FacetChoice[] {
  return FACETS.flatMap((facet) => {
    const counts = new Map<string, number>()
    for (const group of compare.groups) for (const value of VALUES[facet](group)) counts.set(value, 0)
    for (const group of fitting(compare.groups, selection, facet))
      for (const value of VALUES[facet](group)) counts.set(value, counts.get(value)! + 1)
    if (counts.size < 2 && !selection.facets[facet].length) return []
    const values = [...counts].map(([value, count]) => ({ value, count }))
    return { facet, values: values.sort((a, b) => a.value.localeCompare(b.value, undefined, { numeric: true })) }
  })
}

/** Sort of a table by a quantity, best first, as an address holds it. */
export const bestFirst = (compare: Compare, quantity: CompareQuantity): string =>
  lowerIsBetter(compare, quantity) ? quantity : `-${quantity}`

/** Group headings of the rows; null: none. */
export function groupingOf(grouping: string): ((group: Group) => string) | null {
  if (grouping === "server") return (group) => (group.kind === "published" ? t.kind.published : group.server)
  if (grouping === "memory") return (group) => memoryWords([modulesOf(group), group.facts?.memory_type])
  return null
}

/** The memory of a configuration in words: "8 modules, RDIMM, 512 GiB". */
export function memoryOf(group: Group): string {
  const gib = group.facts?.memory_gib
  const size = gib == null ? "" : fmt.withUnit(fmt.atMost(gib, 4), "GiB")
  return memoryWords([modulesOf(group), group.facts?.memory_type, size])
}

const modulesOf = (group: Group): string => (group.dimm_count == null ? "" : words.modules(group.dimm_count))
const memoryWords = (parts: readonly (string | null | undefined)[]): string =>
  parts.filter(Boolean).join(", ") || words.memoryUnknown

/** In the order of the table: sorted by a column, what is not ranked by it last. */
export function inOrder(compare: Compare, groups: readonly Group[], sort: string): Group[] {
  const column = sort.replace(/^-/, "")
  const sign = sort.startsWith("-") ? -1 : 1
  const value = (group: Group): number | string | null => sortValue(compare, group, column)
  const rest = (group: Group): number => sign * (pointOf(compare, group, column as CompareQuantity)?.value ?? 0)
  return [...groups].sort((a, b) => {
    const [x, y] = [value(a), value(b)]
    if (x === null || y === null) return x === y ? rest(a) - rest(b) : x === null ? 1 : -1
    if (typeof x === "string" || typeof y === "string")
      return sign * String(x).localeCompare(String(y), undefined, { numeric: true })
    return sign * (x - y)
  })
}

/** Sort key of a row; null: it comes last. */
export function sortValue(compare: Compare, group: Group, column: string): number | string | null {
  if (column === "title") return group.name || group.title
  if (column === "modules") return group.dimm_count
  if (column === "n") return group.n
  if (column === "energy") return group.energy_per_op?.value ?? null
  if (column === "relative") {
    if (group.key === compare.baseline) return 1
    return compare.pairs.find((pair) => pair.key === group.key)?.ratio.value ?? null
  }
  if (column === "best") {
    if (group.key === compare.best) return 1
    return compare.against_best?.find((pair) => pair.key === group.key)?.ratio.value ?? null
  }
  return figureOf(group, column as Compare["compared_by"])?.value ?? null
}

/** Remarks that hold for several configurations, each once with the names of its rows. */
export function folded(groups: readonly Group[]): { text: string; names: string[] }[] {
  const names = new Map<string, string[]>()
  for (const group of groups)
    for (const text of group.remarks) names.set(text, [...(names.get(text) ?? []), group.name || group.title])
  return [...names].map(([text, of]) => ({ text, names: of })).sort((a, b) => b.names.length - a.names.length)
}

/** Why configurations are not ranked, each reason once; `runs` of the same reason can be repeated together. */
export function unrankedReasons(compare: Compare, groups: readonly Group[]): { why: string; groups: Group[] }[] {
  const reasons = new Map<string, Group[]>()
  for (const group of groups) {
    const why = whyUnranked(compare, group)
    if (why) reasons.set(why, [...(reasons.get(why) ?? []), group])
  }
  return [...reasons].map(([why, of]) => ({ why, groups: of })).sort((a, b) => b.groups.length - a.groups.length)
}

/** Why a configuration is not ranked by the figure compared by; null where it is, or was never measured. */
export function whyUnranked(compare: Compare, group: Group): string | null {
  if (figureOf(group, compare.compared_by)) return null
  return group.unranked?.[compare.compared_by]?.why ?? group.not_ranked?.[compare.compared_by] ?? group.refusal ?? null
}
