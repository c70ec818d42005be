/** What is asked about a server and its configurations, as places in their entries. */

import { Cpu, SshAddress } from "@/api/defaults"
import type { FieldSpec } from "@/inventory/entry"
import { serverWords as words } from "@/strings/servers"

export const SERVER_FIELDS: readonly FieldSpec[] = [
  { path: ["title"], label: words.title, kind: "text" },
  { path: ["model"], label: words.model, kind: "text", placeholder: "HP ProLiant DL360 G5", hint: words.modelHint },
  { path: ["id"], label: words.id, kind: "text", hint: words.idHint },
]

export const SSH_FIELDS: readonly FieldSpec[] = [
  { path: ["access", "ssh", "host"], label: words.host, kind: "text" },
  { path: ["access", "ssh", "user"], label: words.user, kind: "text" },
  { path: ["access", "ssh", "port"], label: words.port, kind: "number", placeholder: String(SshAddress.port.default) },
  { path: ["sudo_dmidecode"], label: words.sudoMemory, kind: "switch" },
]

/** Of a server that the bench file describes with a key of its own. */
export const KEY_FIELD: FieldSpec = {
  path: ["access", "ssh", "identity_file"],
  label: words.identity,
  kind: "text",
  hint: words.identityHint,
}

export const NAME_FIELDS: readonly FieldSpec[] = [
  { path: ["title"], label: words.title, kind: "text", placeholder: "4 × 1 GiB FB-DIMM" },
  { path: ["id"], label: words.id, kind: "text", hint: words.idHint },
]

export const HARDWARE_FIELDS: readonly FieldSpec[] = [
  { path: ["cpu", "model"], label: words.cpu, kind: "text", placeholder: "Xeon 5160" },
  { path: ["cpu", "sockets"], label: words.sockets, kind: "number", placeholder: String(Cpu.sockets.default) },
  { path: ["cpu", "cores"], label: words.cores, kind: "number" },
  { path: ["cpu", "threads"], label: words.threads, kind: "number" },
  { path: ["cpu", "clock_mhz"], label: words.clock, kind: "number" },
  { path: ["cpu", "tdp_w"], label: words.tdp, kind: "number" },
  { path: ["disks"], label: words.disks, kind: "list", hint: words.listHint },
  { path: ["nics"], label: words.nics, kind: "list", hint: words.listHint },
]

export const SOFTWARE_FIELDS: readonly FieldSpec[] = [
  { path: ["os", "name"], label: words.os, kind: "text", placeholder: "Debian 12" },
  { path: ["os", "kernel"], label: words.kernel, kind: "text", placeholder: "6.1" },
  { path: ["price", "amount"], label: words.price, kind: "number" },
  { path: ["price", "currency"], label: words.currency, kind: "text", hint: words.currencyHint },
]

export const CONFIGURATION_PLACES = [...NAME_FIELDS, ...HARDWARE_FIELDS, ...SOFTWARE_FIELDS].map((field) => field.path)
