/** An entry of the bench as a form changes it: values by their place, and nothing where nothing is said. */

export type Path = readonly (string | number)[]
export type Kind = "text" | "number" | "switch" | "choice" | "list"

/** One field of a form: where its value stands in the entry, and how it is asked for. */
export interface FieldSpec {
  path: Path
  label: string
  kind: Kind
  hint?: string
  placeholder?: string
  /** Offered beside what may be typed. */
  suggestions?: readonly string[]
  choices?: readonly { value: string; label: string }[]
}

const isHolder = (value: unknown): value is Record<string | number, unknown> =>
  typeof value === "object" && value !== null

export function readAt(entry: unknown, path: Path): unknown {
  return path.reduce<unknown>((value, step) => (isHolder(value) ? value[step] : undefined), entry)
}

/** The entry with another value at a place; undefined takes the place away. The given entry stays as it is. */
export function writeAt<T>(entry: T, path: Path, value: unknown): T {
  const [step, ...rest] = path
  if (step === undefined) return value as T
  const copy = (Array.isArray(entry) ? [...entry] : { ...entry }) as Record<string | number, unknown>
  const inner = rest.length ? writeAt(copy[step] ?? (typeof rest[0] === "number" ? [] : {}), rest, value) : value
  if (inner !== undefined) copy[step] = inner
  else if (Array.isArray(copy)) copy.splice(Number(step), 1)
  else delete copy[step]
  return copy as T
}

/** The entry without those of the named parts that hold nothing. */
export function withoutEmpty<T extends object>(entry: T, parts: readonly (keyof T)[]): T {
  const copy = { ...entry }
  for (const part of parts) {
    const value = copy[part]
    if (isHolder(value) && Object.keys(value).length === 0) delete copy[part]
  }
  return copy
}

export function toText(value: unknown): string {
  if (value === undefined || value === null) return ""
  return Array.isArray(value) ? value.join(", ") : String(value)
}

/** What a field's text says; a number that is none goes on as it was typed, so that the service can name it. */
export function fromText(kind: Kind, text: string): unknown {
  const trimmed = text.trim()
  if (kind === "list") {
    const parts = trimmed.split(",").map((part) => part.trim())
    return trimmed ? parts.filter(Boolean) : undefined
  }
  if (trimmed === "") return undefined
  if (kind === "number") return Number.isFinite(Number(trimmed)) ? Number(trimmed) : trimmed
  return trimmed
}

/** An identifier from words that is not taken: "Dell 2950" -> "dell-2950", then "dell-2950-2". */
export function freeId(words: string, taken: readonly string[], fallback: string): string {
  const plain = words
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
  const base = plain.slice(0, 48) || fallback
  for (let number = 1; ; number++) {
    const id = number === 1 ? base : `${base}-${number}`
    if (!taken.includes(id)) return id
  }
}
