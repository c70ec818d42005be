/** Servers and configurations while they are typed: from an entry to a form and back. */

import type { Schemas } from "@/api/client"
import { Cpu } from "@/api/defaults"
import { freeId, withoutEmpty } from "@/inventory/entry"
import { emptyBoard, population, preset, CHANNELS, type Slots } from "@/inventory/population"
import { serverWords as words } from "@/strings/servers"

export type Server = Schemas["Server"]
export type Configuration = Schemas["Configuration"]
type Psu = Schemas["Psu"]
type Part = Schemas["CountedPart"]

/** A form holds entries that are not whole yet; the service says what is missing. */
const unfinished = <T>(entry: unknown): T => entry as T

export const newConfiguration = (): Configuration =>
  unfinished({ id: "", cpu: { sockets: Cpu.sockets.default }, os: {}, psus: [{ id: "psu1" }] })

export const newServer = (): Server =>
  unfinished({ id: "", access: { local: true }, configurations: [newConfiguration()] })

export function duplicateOf(configuration: Configuration, taken: readonly string[]): Configuration {
  return {
    ...configuration,
    id: freeId(configuration.id, taken, "configuration"),
    title: words.copyOf(configuration.title || configuration.id),
  }
}

export const slotsOf = (configuration: Configuration): Slots => (configuration.memory?.slots ?? {}) as Slots
export const shownSlots = (configuration: Configuration): Slots =>
  Object.keys(slotsOf(configuration)).length ? slotsOf(configuration) : emptyBoard(CHANNELS, 2)

/** The configuration with other slots; how many channels and slots a board may have follows the slots. */
export function withSlots(configuration: Configuration, slots: Slots): Configuration {
  const { channels: _channels, slots_per_channel: _perChannel, ...rest } = configuration.memory ?? {}
  return { ...configuration, memory: unfinished({ ...rest, slots }) }
}

/** One configuration for each DIMM count, alike but for how many modules are fitted; without counts the one itself. */
export function withCounts(configuration: Configuration, counts: readonly number[]): Configuration[] {
  const slots = slotsOf(configuration)
  const module = Object.values(slots).find((there) => there !== null)
  if (!counts.length || !module) return [configuration]
  const { channel: _channel, ...kind } = module
  return counts.map((count) => {
    const fitted = population(slots).dimms === count ? slots : preset(slots, count, kind)
    const modules = words.ofModules(count, String(kind.capacity_gib), kind.type)
    const title = [configuration.title, modules].filter(Boolean).join(", ")
    return withSlots({ ...configuration, id: counts.length > 1 ? "" : configuration.id, title }, fitted)
  })
}

/** What a form holds, completed by what a machine tells; what was typed stays. */
function completed<T>(typed: T, told: unknown): T {
  if (typeof typed !== "object" || typed === null || Array.isArray(typed))
    return typed === undefined || typed === null || typed === "" ? (told as T) : typed
  const both = { ...(told as object), ...typed } as Record<string, unknown>
  for (const [key, value] of Object.entries((told ?? {}) as object))
    both[key] = completed((typed as Record<string, unknown>)[key], value)
  return both as T
}

/** Which machine a server's form asks; null until it is known how to reach it. */
export function machineOrder(server: Server): Schemas["MachineOrder"] | null {
  if (isLocal(server)) return {}
  const { host, user, port, known_hosts: accepted } = server.access.ssh ?? {}
  if (!host || !user) return null
  const sudo = server.sudo_dmidecode ? { sudo_dmidecode: true } : {}
  const own = accepted ? { own_key: true } : {}
  return { ssh: unfinished({ host, user, ...(port ? { port } : {}), ...own, ...sudo }) }
}

/** The server with the files by which the appliance logs in to it with its own key. */
export function withOwnKey(server: Server, own: Pick<Schemas["OwnKeyOut"], "identity_file" | "known_hosts">): Server {
  const { identity_file, known_hosts } = own
  return { ...server, access: unfinished({ ssh: { ...server.access.ssh, identity_file, known_hosts } }) }
}

/** A new server with what its machine tells; slots that hold a module already are left as they are. */
export function withMachine(server: Server, machine: Schemas["Machine"]): Server {
  const [first, ...others] = server.configurations
  const { memory, ...told } = machine.configuration as Partial<Configuration>
  const typed = { ...first!, cpu: { ...first!.cpu, sockets: told.cpu?.sockets ?? first!.cpu.sockets } }
  const filled = completed(typed, told)
  const empty = !Object.values(slotsOf(typed)).some(Boolean)
  const whole = memory && empty ? { ...filled, memory } : filled
  return { ...server, title: server.title || machine.host, configurations: [whole, ...others] }
}

/** A new part, of the kind of the last: what it is of, somebody types. */
export const nextPart = (parts: readonly Part[]): Part =>
  unfinished({ kind: parts.at(-1)?.kind ?? words.partKinds[0], count: 1 })

export const nextPsu = (psus: readonly Psu[]): Psu =>
  unfinished({
    id: freeId(
      `psu${psus.length + 1}`,
      psus.map((psu) => psu.id),
      "psu",
    ),
  })

/** What is sent: an identifier that was left empty comes from the title, and what holds nothing is omitted. */
export function configurationEntry(configuration: Configuration, taken: readonly string[]): Configuration {
  const id = configuration.id || freeId(configuration.title ?? "", taken, "configuration")
  const sent = withoutEmpty({ ...configuration, id }, ["price", "memory"])
  for (const list of ["psus", "parts"] as const)
    if (!sent[list]?.length) delete unfinished<Partial<Configuration>>(sent)[list]
  return sent
}

export function serverEntry(server: Server, taken: readonly string[]): Server {
  const id = server.id || freeId(server.title ?? "", taken, "server")
  const ids: string[] = []
  const configurations = server.configurations.map((configuration) => {
    const sent = configurationEntry(configuration, ids)
    ids.push(sent.id)
    return sent
  })
  return { ...server, id, configurations }
}

export function isLocal(server: Server): boolean {
  return Boolean(server.access.local)
}

/** Reached here or over SSH; here nothing is read by sudo. */
export function reachedBy(server: Server, way: string): Server {
  if (way !== "local") return { ...server, access: unfinished({ ssh: server.access.ssh ?? {} }) }
  const { sudo_dmidecode: _sudo, ...rest } = server
  return unfinished({ ...rest, access: { local: true } })
}

/** Fitted by hand or not; a command of the bench file stays. */
export function fittedByHand(server: Server, manual: boolean): Server {
  const { prepare: _prepare, ...rest } = server
  return unfinished(manual ? { ...rest, prepare: "manual" } : rest)
}

/** What else goes, or changes, when a server is deleted. */
export function dependents(bench: Partial<Schemas["Bench"]>, server: string) {
  const of = (name: string): boolean => name.startsWith(`${server}/`)
  const plans = (bench.plans ?? []).filter((plan) => plan.configurations.some(of))
  const [whole, shortened] = [
    plans.filter((plan) => plan.configurations.every(of)),
    plans.filter((plan) => !plan.configurations.every(of)),
  ]
  return {
    meters: (bench.meters ?? []).filter((m) => m.feeds?.some((feed) => feed.server === server)).map(({ id }) => id),
    bmcs: (bench.bmcs ?? []).filter((bmc) => bmc.server === server).map(({ id }) => id),
    plans: whole.map(({ name }) => name),
    shortened: shortened.map(({ name }) => name),
  }
}
