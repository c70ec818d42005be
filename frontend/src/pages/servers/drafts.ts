/** Servers and configurations while they are typed: from an entry to a form and back. */

import type { Schemas } from "@/api/client"
import { Cpu } from "@/api/defaults"
import { freeId, withoutEmpty } from "@/inventory/entry"
import { emptyBoard, population, preset, CHANNELS, type Slots } from "@/inventory/population"
import { serverWords as words } from "@/strings/servers"

export type Server = Schemas["Server"]
export type Configuration = Schemas["Configuration"]
type Psu = Schemas["Psu"]

/** A form holds entries that are not whole yet; the service says what is missing. */
const unfinished = <T>(entry: unknown): T => entry as T

export const newConfiguration = (): Configuration =>
  unfinished({ id: "", cpu: { sockets: Cpu.sockets.default }, os: {}, psus: [{ id: "psu1" }] })

export const newServer = (): Server =>
  unfinished({ id: "", access: { local: true }, configurations: [newConfiguration()] })

export function duplicateOf(one: Configuration, taken: readonly string[]): Configuration {
  return { ...one, id: freeId(one.id, taken, "configuration"), title: words.copyOf(one.title || one.id) }
}

export const slotsOf = (one: Configuration): Slots => (one.memory?.slots ?? {}) as Slots
export const shownSlots = (one: Configuration): Slots =>
  Object.keys(slotsOf(one)).length ? slotsOf(one) : emptyBoard(CHANNELS, 2)

/** The configuration with other slots; how many channels and slots a board may have follows the slots. */
export function withSlots(one: Configuration, slots: Slots): Configuration {
  const { channels: _channels, slots_per_channel: _perChannel, ...kept } = one.memory ?? {}
  return { ...one, memory: unfinished({ ...kept, slots }) }
}

/** One configuration for each DIMM count, alike but for how many modules are fitted; without counts the one itself. */
export function withCounts(one: Configuration, counts: readonly number[]): Configuration[] {
  const slots = slotsOf(one)
  const module = Object.values(slots).find((there) => there !== null)
  if (!counts.length || !module) return [one]
  const { channel: _channel, ...kind } = module
  return counts.map((count) => {
    const fitted = population(slots).dimms === count ? slots : preset(slots, count, kind)
    const modules = words.ofModules(count, String(kind.capacity_gib), kind.type)
    const title = [one.title, modules].filter(Boolean).join(", ")
    return withSlots({ ...one, id: counts.length > 1 ? "" : one.id, title }, fitted)
  })
}

export const withPsus = (one: Configuration, psus: readonly Psu[]): Configuration => ({ ...one, psus: [...psus] })

export const nextPsu = (psus: readonly Psu[]): Psu =>
  unfinished({
    id: freeId(
      `psu${psus.length + 1}`,
      psus.map((psu) => psu.id),
      "psu",
    ),
  })

/** What is sent: an identifier that was left empty comes from the title, and what holds nothing is omitted. */
export function configurationEntry(one: Configuration, taken: readonly string[]): Configuration {
  const id = one.id || freeId(one.title ?? "", taken, "configuration")
  const sent = withoutEmpty({ ...one, id }, ["price", "memory"])
  if (!sent.psus?.length) delete unfinished<Partial<Configuration>>(sent).psus
  return sent
}

export function serverEntry(one: Server, taken: readonly string[]): Server {
  const id = one.id || freeId(one.title ?? "", taken, "server")
  const ids: string[] = []
  const configurations = one.configurations.map((configuration) => {
    const sent = configurationEntry(configuration, ids)
    ids.push(sent.id)
    return sent
  })
  return { ...one, id, configurations }
}

export function isLocal(server: Server): boolean {
  return Boolean(server.access.local)
}

export const reachedBy = (server: Server, way: string): Server => ({
  ...server,
  access: unfinished(way === "local" ? { local: true } : { ssh: server.access.ssh ?? {} }),
})

/** Fitted by hand or not; a command of the bench file stays. */
export function fittedByHand(server: Server, manual: boolean): Server {
  const { prepare: _prepare, ...kept } = server
  return unfinished(manual ? { ...kept, prepare: "manual" } : kept)
}
