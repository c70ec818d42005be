/** Nested facts as indented rows of name and text. */

import { t } from "@/strings"

/** Words of a command line; they are read as one. */
const COMMANDS = new Set(["argv", "command", "version"])

export interface Fact {
  path: string
  name: string
  text: string
  depth: number
}

export function flatten(facts: Record<string, unknown>, depth = 0, path = ""): Fact[] {
  return Object.entries(facts).flatMap(([key, value]) => fact(key, value, depth, `${path}/${key}`))
}

function fact(key: string, value: unknown, depth: number, path: string): Fact[] {
  const name = key.replaceAll("_", " ")
  if (isEmpty(value)) return []
  if (isObject(value)) {
    const parts = flatten(value, depth + 1, path)
    return parts.length > 0 ? [{ path, name, text: "", depth }, ...parts] : []
  }
  if (Array.isArray(value) && value.some(isObject)) {
    const parts = value.flatMap((item, i) =>
      isObject(item) ? fact(String(i + 1), item, depth + 1, `${path}/${i}`) : [],
    )
    return [{ path, name, text: "", depth }, ...parts]
  }
  const text = Array.isArray(value) ? value.map(plain).join(COMMANDS.has(key) ? " " : ", ") : plain(value)
  return [{ path, name, text, depth }]
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isEmpty = (value: unknown): boolean =>
  value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0)

/** Records are shown as they were kept: no grouping of digits, no rounding. */
function plain(value: unknown): string {
  if (typeof value === "boolean") return value ? t.yes : t.no
  return String(value)
}
