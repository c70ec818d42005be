/** The form of a meter or BMC: from a model's declaration to fields, and from what was typed to an entry. */

import type { Schemas } from "@/api/client"
import { Meter as MeterFields } from "@/api/defaults"
import type { FormField, Model } from "@/api/models"
import { freeId, withoutEmpty, type FieldSpec, type Kind } from "@/inventory/entry"
import { connectWords as words } from "@/strings/meters"

export type Meter = Schemas["Meter"]
export type Bmc = Schemas["Bmc"]
export type Device = Meter | Bmc
type Value = Address[string]
type Address = Schemas["AddressFields"]["fields"]

/** The typed values without passwords, because the browser keeps them until they are saved. */
export interface Draft {
  scheme: string
  fields: Address
  entry: Partial<Meter> & Partial<Bmc>
}

const KINDS: Record<FormField["kind"], Kind> = {
  text: "text",
  host: "text",
  file: "text",
  folder: "text",
  "serial-port": "text",
  integer: "number",
  number: "number",
  choice: "choice",
  switch: "choice",
}

/** A declared field as a field of the form; `under` is the part of the entry that holds its value. */
export function specOf(
  field: FormField,
  under: readonly string[] = [],
  serialPorts: readonly string[] = [],
): FieldSpec {
  const choices = field.kind === "switch" ? ["on", "off"] : field.choices.map(String)
  const limits = field.low !== null && field.high !== null ? `${field.low} – ${field.high}` : ""
  return {
    path: [...under, field.name],
    label: field.unit ? `${field.label} [${field.unit}]` : field.label,
    kind: KINDS[field.kind],
    hint: field.help || limits || undefined,
    placeholder: field.default === null ? undefined : String(field.default),
    choices: choices.map((value) => ({ value, label: value })),
    suggestions: field.kind === "serial-port" ? serialPorts : undefined,
  }
}

export function measuringFields(model: Model): FieldSpec[] {
  const ranges = model.ranges.map(({ id, note }) => ({ value: id, label: note ? `${id}, ${note}` : id }))
  const range: FieldSpec[] = ranges.length
    ? [{ path: ["range"], label: words.range, kind: "choice", choices: ranges }]
    : model.range
      ? [specOf(model.range)]
      : []
  return [
    { path: ["id"], label: words.id, kind: "text", hint: words.idHint },
    { path: ["period_s"], label: words.period, kind: "number", placeholder: String(model.period_s) },
    ...(model.head.section === "bmcs" ? [] : [ROLE, ...range, SERIAL]),
  ]
}

const ROLE: FieldSpec = {
  path: ["role"],
  label: words.role,
  kind: "choice",
  placeholder: words.roles[MeterFields.role.default],
  choices: Object.entries(words.roles).map(([value, label]) => ({ value, label })),
}
const SERIAL: FieldSpec = { path: ["serial"], label: words.serial, kind: "text", hint: words.serialHint }

/** How the meter is used, and when a reading was taken; a switch of the bench file is true or false. */
export const conditionFields = ({ conditions, timing }: Model): FieldSpec[] => [
  ...conditions.map((field) => ({
    ...specOf(field, ["conditions"]),
    ...(field.kind === "switch" ? { kind: "switch" as const } : {}),
  })),
  ...timing.map((field) => specOf(field)),
]

/** Only the filled fields; the service knows the defaults. */
export function saidFields(fields: Address): Address {
  const entries = Object.entries(fields).filter(
    (pair): pair is [string, Value] => pair[1] !== undefined && pair[1] !== null,
  )
  return Object.fromEntries(entries)
}

/** An address without the model, which `wattmark meter read` takes in it. */
export const withoutModel = (address: string): string =>
  address
    .trim()
    .replace(/([?&])model=[^&]*(&|$)/, "$1")
    .replace(/[?&]$/, "")

/** Fields of another way that the values already typed still fit. */
export function keptFields(fields: Address, model: Model, scheme: string): Address {
  const names =
    model.transports.find((transport) => transport.scheme === scheme)?.fields.map((field) => field.name) ?? []
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)))
}

export function deviceId(draft: Draft, model: Model, taken: readonly string[]): string {
  return draft.entry.id || freeId(model.head.id.split(".").at(-1)!, taken, "meter")
}

/** The entry of a meter: what was typed, with its model and address. */
export function meterEntry(draft: Draft, model: Model, id: string, url: string): Meter {
  const { feeds, ...entry } = withoutEmpty({ ...draft.entry }, ["conditions", "options"])
  const sent = { ...entry, id, model: model.head.id, url, ...(feeds?.length ? { feeds } : {}) }
  return sent as Meter
}

/** The entry of a BMC: what was typed, with its address, which also says what bench files may say field by field. */
export function bmcEntry(draft: Draft, id: string, url: string): Bmc {
  const { host: _host, port: _port, cipher: _cipher, privilege: _privilege, ...entry } = draft.entry
  return { ...entry, id, url } as Bmc
}
