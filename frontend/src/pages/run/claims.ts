/** What a run claims: of its own window, of the server under full load, and of the source that it was imported from. */

import { fmt, prefixed, typeset } from "@/format"
import { labOf } from "@/lib/origin"
import type { Result } from "@/pages/runs/verdicts"
import { runWords as words } from "@/strings/run"

/** Work done and energy taken over the window; null where one of them is not known. */
export function workAndEnergy({ throughput, unit, window_s: length, energy_j: joules }: Result) {
  if (throughput == null || length == null || joules == null) return null
  const { factor, unit: energyUnit } = prefixed(joules, "J")
  const work = fmt.withUnit(fmt.significant(throughput.value * length, 4), unit)
  return words.workFor(work, fmt.withUnit(fmt.significant(joules * factor, 4), energyUnit))
}

/** How a figure scatters within the run, as a standard uncertainty and never as ±: a line for its budget. */
export function scatterText(figure: Result["power"]): string | null {
  if (!figure?.scatter) return null
  const { scatter, unit } = figure
  const u = fmt.withUnit(fmt.significant(scatter.u, 2), unit)
  return words.scatter(u, scatter.dof == null ? null : fmt.atMost(scatter.dof, 2), typeset(scatter.note))
}

/** Value or limit of a check: at most three digits, none invented. A level has a number, and 0 is none. */
export function verdictNumber(value: number, unit: string): string {
  const number = fmt.atMost(value, 3)
  if (unit === "level") return value === 0 ? words.noLevel : words.level(number)
  return fmt.withUnit(number, value === 1 && unit === "rules" ? "rule" : unit)
}

/** How the rules begin that judge the files of an imported run. */
export const IMPORT = "import-"

export interface Stated {
  name: string
  text: string
  /** Against the figure of this page in the same unit; null: there is none. */
  difference: string | null
}

/** Its load was run by wattmark, here or in a lab whose archive brought it: its figures are nobody's publication. */
export const isMeasured = ({ source, verdicts }: Result): boolean =>
  source === "measured" || (labOf(source) !== null && !verdicts.some((verdict) => verdict.rule.startsWith(IMPORT)))

/** Figures that the source states itself, each with its difference from what is counted and measured here. */
export function statedFigures(result: Result): Stated[] {
  const { throughput, efficiency, power } = result
  const here = new Map(
    [throughput, efficiency, power].flatMap((quantity) => (quantity ? [[quantity.unit, quantity.value]] : [])),
  )
  return (result.source_figures ?? []).map(({ name, value, unit }) => {
    const figure = isMeasured(result) ? undefined : here.get(unit)
    const off = figure ? (value / figure - 1) * 100 : null
    const text = fmt.withUnit(fmt.atMost(value, 6), unit)
    return { name, text, difference: off === null ? null : words.statedDifference(signed(off)) }
  })
}

/** Less than a thousandth of a percent is no difference that anybody can read off. */
function signed(percent: number): string {
  const text = Math.abs(percent) < 0.001 ? fmt.fixed(0, 3) : fmt.significant(percent, 2)
  return fmt.withUnit(percent >= 0.001 ? `+${text}` : text, "%")
}

/** Files of an imported run deny each other: its figures were withheld. */
export const contradicts = (result: Result): boolean =>
  result.throughput == null &&
  result.power == null &&
  result.verdicts.some((verdict) => verdict.outcome === "fail" && verdict.rule.startsWith(IMPORT))

/** Rules that failed; what speaks against the files themselves comes first. */
export function failedVerdicts(verdicts: Result["verdicts"]): Result["verdicts"] {
  const failed = verdicts.filter((verdict) => verdict.outcome === "fail")
  const ofFiles = (verdict: (typeof failed)[number]): boolean => verdict.rule.startsWith(IMPORT)
  return [...failed.filter(ofFiles), ...failed.filter((verdict) => !ofFiles(verdict))]
}

/** A verdict; of rules that were not checked for one and the same reason, all their names. */
export type VerdictRow = Result["verdicts"][number] & { rules: string[] }

export interface VerdictGroup {
  title: string | null
  verdicts: VerdictRow[]
}

/** Failed, passed, then not checked: rules with one reason share a row, so that each is there and none repeats it. */
export function verdictRows(verdicts: Result["verdicts"]): VerdictRow[] {
  const rows: VerdictRow[] = []
  for (const outcome of ["fail", "pass", "not-checked"] as const) {
    for (const verdict of verdicts.filter((other) => other.outcome === outcome)) {
      const same = outcome === "not-checked" ? rows.find((row) => isSame(row, verdict)) : undefined
      if (!same) rows.push({ ...verdict, rules: [verdict.rule] })
      else if (!same.rules.includes(verdict.rule)) same.rules.push(verdict.rule)
    }
  }
  return rows
}

/** Only verdicts without a figure of their own can share a row. */
const isSame = (row: VerdictRow, verdict: Result["verdicts"][number]): boolean =>
  row.outcome === verdict.outcome && row.text === verdict.text && row.value === null && verdict.value === null

/** Verdicts on the files of an imported run stand apart, under a heading of their own. */
export function verdictGroups(verdicts: Result["verdicts"]): VerdictGroup[] {
  const imported = verdicts.filter((verdict) => verdict.rule.startsWith(IMPORT))
  if (!imported.length) return [{ title: null, verdicts: verdictRows(verdicts) }]
  const own = verdicts.filter((verdict) => !verdict.rule.startsWith(IMPORT))
  return [
    ...(own.length ? [{ title: words.ownVerdicts, verdicts: verdictRows(own) }] : []),
    { title: words.importVerdicts, verdicts: verdictRows(imported) },
  ]
}
