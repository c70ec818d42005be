/** How values of a plan are shown in fields, and read back from what was typed. */

/** `write` gets null or undefined where nothing is said, not even by a default; `read` gives undefined for that. */
export interface Codec<Value, Form> {
  write(value: Value | null | undefined): Form
  read(form: Form): Value | null | undefined
}

export type Shape = Record<string, Codec<unknown, unknown>>
export type FormOf<S extends Shape> = { -readonly [K in keyof S]: ReturnType<S[K]["write"]> }

/** What is not a number goes as it was typed, so that the service says what is wrong with it. */
export function asNumber(typed: string): number | undefined {
  const trimmed = typed.trim()
  if (!trimmed) return undefined
  const value = Number(trimmed)
  return Number.isFinite(value) ? value : (trimmed as unknown as number)
}

const parts = (typed: string): string[] => typed.split(/[\s,;]+/).filter(Boolean)
const UNITS = [
  { unit: "h", seconds: 3600 },
  { unit: "min", seconds: 60 },
]

/** Seconds as a person writes them: "30 s", "4 min", "8 h". */
export function durationText(seconds: number): string {
  const unit = UNITS.find((unit) => seconds > 0 && seconds % unit.seconds === 0)
  return unit ? `${seconds / unit.seconds} ${unit.unit}` : `${seconds} s`
}

/** "90", "90 s", "1.5 min" and "8 h" in seconds. */
export function asSeconds(typed: string): number | undefined {
  const match = /^(\d+(?:\.\d+)?)\s*(s|min|h)?$/.exec(typed.trim())
  if (!match) return asNumber(typed)
  return Number(match[1]) * (UNITS.find((unit) => unit.unit === match[2])?.seconds ?? 1)
}

export const text = (): Codec<string, string> => ({
  write: (value) => value ?? "",
  read: (typed) => typed.trim() || undefined,
})

export const number = (): Codec<number, string> => ({
  write: (value) => String(value ?? ""),
  read: asNumber,
})

export const duration = (): Codec<number, string> => ({
  write: (value) => (value == null ? "" : durationText(value)),
  read: asSeconds,
})

export const flag = (): Codec<boolean, boolean> => ({
  write: (value) => value ?? false,
  read: (on) => on,
})

export const choice = <Name extends string>(): Codec<Name, Name | ""> => ({
  write: (value) => value ?? "",
  read: (chosen) => chosen || undefined,
})

export const names = (): Codec<readonly string[], string[]> => ({
  write: (value) => [...(value ?? [])],
  read: (chosen) => [...chosen],
})

export const numbers = (): Codec<readonly number[], string> => ({
  write: (value) => value?.join(", ") ?? "",
  read: (typed) => (parts(typed).length ? parts(typed).map((part) => asNumber(part)!) : undefined),
})

/** One value or several, as the bench file has them: words, or numbers. */
type OneOrMore<Value> = Value | readonly Value[]
const joined = (value: OneOrMore<string | number> | null | undefined): string => [value ?? []].flat().join(", ")

/** Between commas, as the name of a C-state may have a space. */
const listed = (typed: string): string[] =>
  typed
    .split(/[,;]/)
    .map((word) => word.trim())
    .filter(Boolean)

export const wordOrWords = (): Codec<OneOrMore<string>, string> => ({
  write: joined,
  read: (typed) => (listed(typed).length ? listed(typed) : undefined),
})

export const numberOrNumbers = (): Codec<OneOrMore<number>, string> => ({
  write: joined,
  read: (typed) => (parts(typed).length ? parts(typed).map((part) => asNumber(part)!) : undefined),
})

export type Level = number | "all" | "sweep"

const asLevel = (typed: string): Level => asNumber(typed) as Level

export const level = (): Codec<Level, string> => ({
  write: (value) => String(value ?? ""),
  read: (typed) => (typed.trim() ? asLevel(typed) : undefined),
})

export const levels = (): Codec<readonly Level[], string> => ({
  write: (value) => value?.join(", ") ?? "",
  read: (typed) => (parts(typed).length ? parts(typed).map(asLevel) : undefined),
})

/** Levels by the workload's name; a name without any is omitted. */
export const levelsByName = (): Codec<Readonly<Record<string, readonly Level[]>>, Record<string, string>> => ({
  write: (value) => Object.fromEntries(Object.entries(value ?? {}).map(([name, some]) => [name, some.join(", ")])),
  read: (typed) => {
    const read = Object.entries(typed).map(([name, list]) => [name, levels().read(list)] as const)
    return Object.fromEntries(read.filter(([, some]) => some !== undefined)) as Record<string, readonly Level[]>
  },
})

/** The service's facts about fields (`api/defaults.ts`). */
type Said = Readonly<Record<string, SaidOfField>>
interface SaidOfField {
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
}

/** A part of a plan: a field that it does not say shows its default, or else what is usual. */
export function record<S extends Shape>(defaults: Said, shape: S): Codec<object, FormOf<S>> {
  const fields = Object.entries(shape)
  const usual = (name: string) => defaults[name]?.default ?? defaults[name]?.examples?.[0]
  return {
    write: (value) => {
      const entry = (value ?? {}) as Record<string, unknown>
      const shown = (name: string) => (entry[name] === undefined ? usual(name) : entry[name])
      return Object.fromEntries(fields.map(([name, codec]) => [name, codec.write(shown(name))])) as FormOf<S>
    },
    read: (form) => {
      const read = fields.map(([name, codec]) => [name, codec.read(form[name])] as const)
      return Object.fromEntries(read.filter(([, value]) => value !== undefined))
    },
  }
}

export function rows<S extends Shape>(shape: S): Codec<readonly object[], FormOf<S>[]> {
  const row = record({}, shape)
  return {
    write: (value) => (value ?? []).map((entry) => row.write(entry)),
    read: (form) => form.map((typed) => row.read(typed)!),
  }
}

/** A rule that a plan may have or not. */
export function optional<S extends Shape>(defaults: Said, shape: S): Codec<object, FormOf<S> & { on: boolean }> {
  const whole = record(defaults, shape)
  return {
    write: (value) => ({ ...whole.write(value), on: value != null }),
    read: (form) => (form.on ? whole.read(form) : undefined),
  }
}

/** A limit that holds unless the plan says that there is none; the usual one is shown then. */
export const unlessNone = (field: SaidOfField): Codec<number, { on: boolean; value: string }> => ({
  write: (value) => ({ on: value !== null, value: String(value ?? field.default) }),
  read: (form) => (form.on ? asNumber(form.value) : null),
})
