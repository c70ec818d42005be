/** Changes of the bench: with the version that was seen, mistakes at their fields, and a way back. */

import { useQuery, useQueryClient, type QueryClient } from "@tanstack/vue-query"
import { computed, ref, shallowRef } from "vue"
import { api, ApiProblem, body, problemOf, type Problem, type Schemas } from "@/api/client"
import { keys } from "@/api/queries"
import { notify, report, undoable } from "@/components/toasts"
import { may, who } from "@/lib/who"
import { editorWords } from "@/strings/servers"

export type Entries = Schemas["BenchEntries"]
export type Edited = Schemas["EditOut"]
export type Mistake = Schemas["MistakeOut"]
export type Step = string | number

/** Fields that every change sends; spread them beside `path`. */
export interface EditParameters {
  header: { "If-Match": string }
  query: { check?: boolean }
}

export interface SendOptions {
  /** Preview the change without making it. */
  check?: boolean
  /** Whether the current bench still holds what the form was filled from; then the change is applied at once. */
  untouched?: (now: Entries) => boolean
}

type Request = (parameters: EditParameters) => Parameters<typeof body<Edited>>[0]
const ENTRIES = [...keys.bench, "entries"]
const fetchEntries = () => body(api.GET("/api/bench/entries"))

/** Exact content of the bench file, with its version. */
export function useEntries() {
  return useQuery({ queryKey: ENTRIES, queryFn: fetchEntries })
}

/** The mistakes in a response; none where it was not the response to a change. */
export function mistakesOf(reason: unknown): readonly Mistake[] {
  return (problemOf(reason) as Problem & { mistakes?: Mistake[] }).mistakes ?? []
}

const startsWith = (path: readonly Step[], begin: readonly Step[]): boolean =>
  begin.every((step, index) => String(path[index]) === String(step))

/** An empty field is reported in the words of the form, not of the file. */
const inWords = (message: string): string => (/^the key \S+ is missing$/.test(message) ? editorWords.empty : message)

/** What is wrong at a field or anywhere within it; null: nothing. */
export function messageAt(mistakes: readonly Mistake[], ...path: Step[]): string | null {
  const matching = mistakes.filter(
    (mistake) => mistake.path && mistake.path.length > 0 && startsWith(mistake.path, path),
  )
  return matching.length ? [...new Set(matching.map((mistake) => inWords(mistake.message)))].join(" ") : null
}

/** Mistakes that no field of these shows: about the whole entry, or elsewhere in the file. */
export function elsewhere(mistakes: readonly Mistake[], fields: readonly (readonly Step[])[]): readonly Mistake[] {
  return mistakes.filter(
    (mistake) => !mistake.path?.length || !fields.some((field) => startsWith(mistake.path!, field)),
  )
}

async function refresh(client: QueryClient): Promise<void> {
  await Promise.all([keys.bench, ["plans"], ["workloads"]].map((queryKey) => client.invalidateQueries({ queryKey })))
}

/**
 * One form's way to the bench. `send` gives null where the change was refused; then `mistakes` belong to fields,
 * `conflict` holds what the bench is by now (another one than was seen), and `problem` is anything else.
 */
export function useEdit() {
  const client = useQueryClient()
  const busy = ref(false)
  const reason = shallowRef<unknown>(null)
  const conflict = shallowRef<Entries | null>(null)
  const mistakes = computed(() => mistakesOf(reason.value))
  const problem = computed(() =>
    reason.value === null || conflict.value || mistakes.value.length ? null : problemOf(reason.value),
  )

  function clear(): void {
    reason.value = null
    conflict.value = null
  }

  /** The current bench, where it differs from the one shown. */
  async function changedSince(why: unknown, version: string): Promise<Entries | null> {
    if (!(why instanceof ApiProblem) || why.status !== 409) return null
    const now = await client.fetchQuery({ queryKey: ENTRIES, queryFn: fetchEntries }).catch(() => null)
    return now && now.version !== version ? now : null
  }

  async function attempt(version: string, request: Request, options: SendOptions): Promise<Edited | null> {
    const query = options.check ? { check: true } : {}
    try {
      const edited = await body(request({ header: { "If-Match": version }, query }))
      if (edited.written) await refresh(client)
      return edited
    } catch (why) {
      const now = await changedSince(why, version)
      if (now && options.untouched?.(now)) return attempt(now.version, request, { check: options.check })
      reason.value = why
      conflict.value = now
      return null
    }
  }

  /** Make a change based on the version shown. */
  async function send(version: string, request: Request, options: SendOptions = {}): Promise<Edited | null> {
    clear()
    busy.value = true
    return attempt(version, request, options).finally(() => (busy.value = false))
  }

  /** Undo the last change, and those made in one step with it. */
  async function takeBack(version: string, steps: number): Promise<void> {
    const params = { header: { "If-Match": version }, query: {} }
    const { version: now } = await body(api.POST("/api/bench/undo", { params }))
    return steps > 1 ? takeBack(now, steps - 1) : refresh(client)
  }

  /** Report what was done, and offer its undo to whoever has the role; `after` runs once it has been. */
  function offerUndo(edited: Edited, after?: () => void, steps = 1): void {
    if (!may(who.value, "operator")) return notify(edited.change)
    const undo = () => takeBack(edited.version, steps).then(after, (why: unknown) => report(problemOf(why)))
    undoable(edited.change, () => void undo())
  }

  return { busy, clear, conflict, mistakes, offerUndo, problem, reason, send }
}
