/** Figures beside a result's first ones, each named for what it is: above idle, energy times delay, money, nominal. */

import { fmt, inverseUnit, prefixed } from "@/format"
import type { Result } from "@/pages/runs/verdicts"
import { runWords as words } from "@/strings/run"

export interface SecondFigure {
  id: string
  label: string
  text: string
  notes: string[]
  /** Not measured: drawn apart from the others. */
  nominal?: boolean
}

const MILLION = 1e6
const watts = (value: number, u: number | null | undefined): string =>
  words.standard(fmt.measuredText(value, u, "W"), u != null)
/** With the prefix that makes it readable. */
function scaled(value: number, u: number | null | undefined, base: string): string {
  const { factor, unit } = prefixed(value, base)
  return fmt.measuredText(value * factor, u == null ? null : u * factor, unit)
}

export function secondFigures(result: Result): SecondFigure[] {
  return [...aboveIdle(result), ...delay(result), ...money(result), ...nominal(result)]
}

function aboveIdle({ above_idle: found }: Result): SecondFigure[] {
  if (!found) return []
  const { efficiency, efficiency_U95: u95, unit, idle_power_w: idle, idle_power_u_w: idleU } = found
  const notes = [
    words.idle(watts(idle, idleU)),
    words.loadedLessIdle(watts(found.power_w, found.power_u_w)),
    words.aboveIdleNote(u95 != null),
  ]
  return [{ id: "above-idle", label: words.aboveIdle, text: fmt.measuredText(efficiency, u95, unit), notes }]
}

function delay({ delay_product: found, efficiency_unit: unit }: Result): SecondFigure[] {
  if (!found) return []
  const one = inverseUnit(unit)?.slice(2) ?? found.unit
  const work = found.work === 1 ? one : fmt.withUnit(fmt.atMost(found.work, 6), found.unit)
  const notes = [
    words.squared(scaled(found.ed2p_js2, found.ed2p_u_js2, "J·s²")),
    words.standard(words.delayNote(work), found.edp_u_js != null),
  ]
  return [{ id: "delay", label: words.delay, text: scaled(found.edp_js, found.edp_u_js, "J·s"), notes }]
}

function money({ cost: found, throughput_unit: unit }: Result): SecondFigure[] {
  if (!found) return []
  const operation = unit.replace(/\/s$/, "")
  const u = found.per_operation_u
  const perMillion = fmt.measuredText(found.per_operation * MILLION, u == null ? null : u * MILLION, found.currency)
  const price = fmt.withUnit(fmt.atMost(found.price, 7), found.currency)
  const tariff = fmt.withUnit(fmt.atMost(found.tariff_per_kwh, 4), `${found.currency}/kWh`)
  const cost = {
    id: "cost",
    label: words.cost(operation),
    text: perMillion,
    notes: [
      words.costOf(price, fmt.atMost(found.life_years, 3), tariff, fmt.atMost(found.pue, 3)),
      words.purchase(fmt.withUnit(fmt.fixed(found.purchase_share_pct, 0), "%")),
      words.costNote,
    ],
  }
  const {
    efficiency_per_price: perPrice,
    efficiency_per_price_u: perPriceU,
    efficiency_per_price_unit: perUnit,
  } = found
  if (perPrice == null) return [cost]
  const text = fmt.measuredText(perPrice, perPriceU, perUnit)
  return [cost, { id: "per-price", label: words.perPrice, text, notes: [words.perPriceNote] }]
}

function nominal({ nominal: found }: Result): SecondFigure[] {
  if (!found) return []
  const text = fmt.withUnit(fmt.significant(found.efficiency, 3), found.unit)
  const notes = [words.tdp(fmt.withUnit(fmt.atMost(found.tdp_w, 5), "W")), found.text]
  return [{ id: "nominal", label: words.nominal, text, notes, nominal: true }]
}
