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
/** With the prefix that makes it readable: "6.87 ± 0.17 mJ/sign". */
export function scaled({ value, U95 }: Quantity, base: string): string {
  const { factor, unit } = prefixed(value, base)
  return fmt.measuredText(value * factor, U95 == null ? null : U95 * factor, unit)
}

export function secondFigures(result: Result): SecondFigure[] {
  return [...roles(result), ...idleSubtracted(result), ...delay(result), ...money(result), ...nominal(result)]
}

/** Energy of the hosts of each role, never the whole, which stands with the first figures. */
function roles({ role_energies: energies, unit }: Result): SecondFigure[] {
  return (energies ?? []).map(({ role, energy, share_pct: share, per_work: each, work }) => {
    const perWork = inverseUnit(`${unit}/J`)
    const notes = [words.roleShare(fmt.withUnit(fmt.fixed(share, 1), "%"))]
    if (each && work && perWork) notes.push(words.rolePerWork(scaled(each, perWork), work))
    return {
      id: `role ${role}`,
      label: words.roleEnergy(role),
      text: scaled({ value: energy.value, unit: "J", U95: energy.U95 ?? null }, "J"),
      notes: [...notes, words.roleNote],
    }
  })
}

function idleSubtracted({ idle_subtracted: subtracted }: Result): SecondFigure[] {
  if (!subtracted) return []
  const notes = [
    words.idle(fmt.quantityText(subtracted.idle)),
    words.loadedLessIdle(fmt.quantityText(subtracted.power)),
    words.idleSubtractedNote(subtracted.efficiency?.U95 != null),
  ]
  return [{ id: "idle-subtracted", label: words.idleSubtracted, text: fmt.quantityText(subtracted.efficiency), notes }]
}

function delay({ delay_product: product }: Result): SecondFigure[] {
  if (!product) return []
  const operation = inverseUnit(`${product.unit}/J`)?.slice(2) ?? product.unit
  const work = product.work === 1 ? operation : fmt.withUnit(fmt.atMost(product.work, 6), product.unit)
  const notes = [words.squared(scaled(product.ed2p, "J·s²")), words.delayNote(work)]
  return [{ id: "delay", label: words.delay, text: scaled(product.edp, "J·s"), notes }]
}

function money({ cost: costs, unit: operation }: Result): SecondFigure[] {
  if (!costs) return []
  const { value, U95, unit } = costs.per_operation
  const perMillion = fmt.measuredText(value * MILLION, U95 == null ? null : U95 * MILLION, unit)
  const price = fmt.withUnit(fmt.atMost(costs.price, 7), costs.currency)
  const tariff = fmt.withUnit(fmt.atMost(costs.tariff_per_kwh, 4), `${costs.currency}/kWh`)
  const cost = {
    id: "cost",
    label: words.cost(operation),
    text: perMillion,
    notes: [
      words.costOf(price, fmt.atMost(costs.life_years, 3), tariff, fmt.atMost(costs.pue, 3)),
      words.purchase(fmt.withUnit(fmt.fixed(costs.purchase_share_pct, 0), "%")),
      words.costNote,
    ],
  }
  if (costs.efficiency_per_price == null) return [cost]
  const text = fmt.quantityText(costs.efficiency_per_price)
  return [cost, { id: "per-price", label: words.perPrice, text, notes: [] }]
}

function nominal({ nominal: estimate }: Result): SecondFigure[] {
  if (!estimate) return []
  const text = fmt.withUnit(fmt.significant(estimate.efficiency.value, 3), estimate.efficiency.unit)
  const notes = [words.tdp(fmt.withUnit(fmt.atMost(estimate.tdp_w, 5), "W")), estimate.text]
  return [{ id: "nominal", label: words.nominal, text, notes, nominal: true }]
}
