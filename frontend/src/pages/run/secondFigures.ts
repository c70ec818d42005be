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
/** With the prefix that makes it readable. */
function scaled(value: number, U95: number | null | undefined, base: string): string {
  const { factor, unit } = prefixed(value, base)
  return fmt.measuredText(value * factor, U95 == null ? null : U95 * factor, unit)
}

export function secondFigures(result: Result): SecondFigure[] {
  return [...aboveIdle(result), ...delay(result), ...money(result), ...nominal(result)]
}

function aboveIdle({ above_idle: found }: Result): SecondFigure[] {
  if (!found) return []
  const { efficiency, efficiency_U95: u95, unit, idle_power_w: idle, idle_power_U95_w: idleU95 } = found
  const notes = [
    words.idle(fmt.measuredText(idle, idleU95, "W")),
    words.loadedLessIdle(fmt.measuredText(found.power_w, found.power_U95_w, "W")),
    words.aboveIdleNote(u95 != null),
  ]
  return [{ id: "above-idle", label: words.aboveIdle, text: fmt.measuredText(efficiency, u95, unit), notes }]
}

function delay({ delay_product: found, efficiency_unit: unit }: Result): SecondFigure[] {
  if (!found) return []
  const one = inverseUnit(unit)?.slice(2) ?? found.unit
  const work = found.work === 1 ? one : fmt.withUnit(fmt.atMost(found.work, 6), found.unit)
  const notes = [words.squared(scaled(found.ed2p_js2, found.ed2p_U95_js2, "J·s²")), words.delayNote(work)]
  return [{ id: "delay", label: words.delay, text: scaled(found.edp_js, found.edp_U95_js, "J·s"), notes }]
}

function money({ cost: found, throughput_unit: unit }: Result): SecondFigure[] {
  if (!found) return []
  const operation = unit.replace(/\/s$/, "")
  const U95 = found.per_operation_U95
  const perMillion = fmt.measuredText(found.per_operation * MILLION, U95 == null ? null : U95 * MILLION, found.currency)
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
    efficiency_per_price_U95: perPriceU95,
    efficiency_per_price_unit: perUnit,
  } = found
  if (perPrice == null) return [cost]
  const text = fmt.measuredText(perPrice, perPriceU95, perUnit)
  return [cost, { id: "per-price", label: words.perPrice, text, notes: [] }]
}

function nominal({ nominal: found }: Result): SecondFigure[] {
  if (!found) return []
  const text = fmt.withUnit(fmt.significant(found.efficiency, 3), found.unit)
  const notes = [words.tdp(fmt.withUnit(fmt.atMost(found.tdp_w, 5), "W")), found.text]
  return [{ id: "nominal", label: words.nominal, text, notes, nominal: true }]
}
