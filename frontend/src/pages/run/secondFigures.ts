/** Figures beside a result's first ones, each named for what it is: idle-subtracted, energy times delay, money, nominal. */

import { fmt, inverseUnit, prefixed, type Quantity } from "@/format"
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
function scaled({ value, U95 }: Quantity, base: string): string {
  const { factor, unit } = prefixed(value, base)
  return fmt.measuredText(value * factor, U95 == null ? null : U95 * factor, unit)
}

export function secondFigures(result: Result): SecondFigure[] {
  return [...idleSubtracted(result), ...delay(result), ...money(result), ...nominal(result)]
}

function idleSubtracted({ idle_subtracted: found }: Result): SecondFigure[] {
  if (!found) return []
  const notes = [
    words.idle(fmt.quantityText(found.idle)),
    words.loadedLessIdle(fmt.quantityText(found.power)),
    words.idleSubtractedNote(found.efficiency?.U95 != null),
  ]
  return [{ id: "idle-subtracted", label: words.idleSubtracted, text: fmt.quantityText(found.efficiency), notes }]
}

function delay({ delay_product: found }: Result): SecondFigure[] {
  if (!found) return []
  const one = inverseUnit(`${found.unit}/J`)?.slice(2) ?? found.unit
  const work = found.work === 1 ? one : fmt.withUnit(fmt.atMost(found.work, 6), found.unit)
  const notes = [words.squared(scaled(found.ed2p, "J·s²")), words.delayNote(work)]
  return [{ id: "delay", label: words.delay, text: scaled(found.edp, "J·s"), notes }]
}

function money({ cost: found, unit: operation }: Result): SecondFigure[] {
  if (!found) return []
  const { value, U95, unit } = found.per_operation
  const perMillion = fmt.measuredText(value * MILLION, U95 == null ? null : U95 * MILLION, unit)
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
  if (found.efficiency_per_price == null) return [cost]
  const text = fmt.quantityText(found.efficiency_per_price)
  return [cost, { id: "per-price", label: words.perPrice, text, notes: [] }]
}

function nominal({ nominal: found }: Result): SecondFigure[] {
  if (!found) return []
  const text = fmt.withUnit(fmt.significant(found.efficiency.value, 3), found.efficiency.unit)
  const notes = [words.tdp(fmt.withUnit(fmt.atMost(found.tdp_w, 5), "W")), found.text]
  return [{ id: "nominal", label: words.nominal, text, notes, nominal: true }]
}
