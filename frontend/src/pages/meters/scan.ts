/** Looking for devices: what is asked for, and what a found address means. */

import { ScanOrder as Scan } from "@/api/defaults"
import type { Found, ScanOrder } from "@/api/models"
import type { FieldSpec } from "@/inventory/entry"
import { connectWords as words } from "@/strings/meters"

export type Way = keyof typeof words.ways

const IDS: FieldSpec = {
  path: ["ids"],
  label: words.ids,
  kind: "text",
  hint: words.idsHint,
  placeholder: Scan.ids.default,
}
const PARITIES = Scan.parity.enum.map((value) => ({ value, label: value }))

export function scanFields(way: Way, ports: readonly string[]): FieldSpec[] {
  if (way === "modbus_tcp") return [{ path: [way], label: words.gateway, kind: "text" }, IDS]
  if (way === "hosts") return [{ path: [way], label: words.hosts, kind: "text", hint: words.hostsHint }]
  return [
    { path: [way], label: words.port, kind: "text", suggestions: ports, placeholder: ports[0] },
    IDS,
    { path: ["baud"], label: words.baud, kind: "number", placeholder: String(Scan.baud.default) },
    { path: ["parity"], label: words.parity, kind: "choice", choices: PARITIES, placeholder: Scan.parity.default },
  ]
}

/** The order of one way: fields of another are omitted. */
export function scanOrder(way: Way, typed: ScanOrder): ScanOrder {
  const names = scanFields(way, []).map((spec) => String(spec.path[0]))
  return Object.fromEntries(Object.entries(typed).filter(([name]) => names.includes(name)))
}

export interface Offer {
  model: string
  url: string
}

/** Models that a found device can be, each with its address; the address names the model at its end. */
export function offers(device: Found): Offer[] {
  return device.urls.flatMap((text) => {
    const [, address, model] = /^(.*)[?&]model=([^&]+)$/.exec(text) ?? []
    return address && model ? [{ model, url: address }] : []
  })
}
