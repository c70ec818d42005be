/** An operator's steps at a server, as the board and the list beside it show them. */

import type { Schemas } from "@/api/client"
import { fmt } from "@/format"
import { isEmpty, slotChanges, wholeBoard, type Module, type SlotChange } from "@/lib/slots"
import { operatorWords as words } from "@/strings/operator"

type Request = Schemas["OperatorRequest"]
type Server = Schemas["ServerOut"]
type Configuration = Schemas["ConfigurationOut"]

export interface Task {
  title: string
  /** What is known of the state that the server is in. */
  now: string | null
  /** Null where no memory is described, or none has to be touched. */
  board: { modules: Module[]; changes: Map<string, SlotChange> } | null
  steps: string[]
  /** What else differs between the two configurations, in words. */
  also: string[]
  button: string
}

/** Build the task of a request; servers that the bench no longer names are called by their identifiers. */
export function taskOf(request: Request, server: Server | undefined): Task {
  const name = server?.title ?? request.server
  const find = (id: string | null | undefined) =>
    server?.configurations.find((configuration) => configuration.id === id)
  const [before, after] = [find(request.fitted), find(request.configuration)]
  const title = words.title[request.hands](name, after?.title ?? request.configuration)
  const button = words.ready[request.hands]
  if (request.hands === "reboot")
    return { title, now: null, board: null, also: [], button, steps: [words.reboot(name), words.press] }
  if (request.hands === "re-seat")
    return {
      title,
      now: null,
      board: after?.modules.length ? { modules: after.modules, changes: new Map() } : null,
      also: [],
      button,
      steps: [words.off(name), words.reseat, words.start(name), words.press],
    }
  return { title, button, ...installed(name, before, after) }
}

function installed(
  name: string,
  before: Configuration | undefined,
  after: Configuration | undefined,
): Pick<Task, "now" | "board" | "steps" | "also"> {
  const modules = after?.modules ?? []
  const changes = before ? slotChanges(before.modules, modules) : new Map<string, SlotChange>()
  const also = before && after ? differences(before, after) : []
  const same = before !== undefined && !changes.size && !also.length
  const now = before === undefined ? words.unknown : same ? words.same : words.from(before.title)
  const moves = changes.size || before === undefined ? moduleSteps(modules, changes, before === undefined) : []
  const steps = same ? [words.press] : [words.off(name), ...moves, words.start(name), words.press]
  const board = modules.length ? { modules: before ? wholeBoard(before.modules, modules) : modules, changes } : null
  return { now, board, steps, also }
}

function moduleSteps(modules: readonly Module[], changes: ReadonlyMap<string, SlotChange>, all: boolean): string[] {
  const removed = [...changes].filter(([, change]) => change === "remove").map(([slot]) => slot)
  const alike = (change: SlotChange): [string, string[]][] => {
    const slots = new Map<string, string[]>()
    for (const module of modules) {
      if (isEmpty(module) || (!all && changes.get(module.slot) !== change)) continue
      slots.set(describe(module), [...(slots.get(describe(module)) ?? []), module.slot])
    }
    return [...slots]
  }
  return [
    ...(removed.length ? [words.remove(removed)] : []),
    ...(all ? [] : alike("replace").map(([what, slots]) => words.replace(what, slots))),
    ...alike("fit").map(([what, slots]) => words.fit(what, slots)),
  ]
}

const describe = ({ capacity_gib: capacity, type }: Module): string =>
  [capacity ? fmt.withUnit(fmt.asPrinted(capacity), "GiB") : null, type].filter(Boolean).join(" ")

function differences(before: Configuration, after: Configuration): string[] {
  const text = (value: unknown): string => (Array.isArray(value) ? value.join(", ") || "–" : String(value ?? "–"))
  const facts = Object.entries(words.facts) as [keyof typeof words.facts, string][]
  const own = facts.map(([fact, what]) => [what, text(before[fact]), text(after[fact])] as const)
  const settings = [...new Set([...Object.keys(before.firmware), ...Object.keys(after.firmware)])].map(
    (name) => [name, text(before.firmware[name]), text(after.firmware[name])] as const,
  )
  return [...own, ...settings]
    .filter(([, old, wanted]) => old !== wanted)
    .map(([what, old, wanted]) => words.becomes(what, old, wanted))
}
