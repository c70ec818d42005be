// Write what the service says of every field that a form can fill: its default, an example, its choices and its limits.
import { readFileSync, writeFileSync } from "node:fs"

const SAID = ["default", "examples", "enum", "minimum", "maximum"]
const { components, paths } = JSON.parse(readFileSync(new URL("../openapi.json", import.meta.url)))
const operations = Object.values(paths).flatMap((path) => Object.values(path))
const named = ($ref) => $ref.slice($ref.lastIndexOf("/") + 1)

/** Names of the components that a schema is made of. */
const partsOf = (schema) => [...JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)"/g)].map(([, $ref]) => named($ref))

/** Components that the bench file and requests are made of, in the order of their names. */
function requested() {
  const found = new Set()
  const waiting = ["Bench", ...operations.flatMap((operation) => partsOf(operation.requestBody ?? {}))]
  for (const name of waiting) {
    if (found.has(name)) continue
    found.add(name)
    waiting.push(...partsOf(components.schemas[name]))
  }
  return [...found].sort()
}

/** What is said of a value; one that may be omitted is its only kind of value, or null. */
function said(schema) {
  const kinds = schema.anyOf?.filter((kind) => kind.type !== "null") ?? []
  const whole = kinds.length === 1 ? { ...kinds[0], ...schema } : schema
  return Object.fromEntries(SAID.filter((name) => name in whole).map((name) => [name, whole[name]]))
}

/** One constant for each component or operation that says anything, so that a page carries only what it uses. */
function constant(name, fields) {
  const all = fields.map(([field, schema]) => [field, said(schema)]).filter(([, what]) => Object.keys(what).length)
  return all.length ? `export const ${name} = ${JSON.stringify(Object.fromEntries(all))} as const\n` : ""
}

const queryOf = (operation) =>
  (operation.parameters ?? []).filter((one) => one.in === "query").map((one) => [one.name, one.schema])

writeFileSync(
  new URL("../src/api/defaults.ts", import.meta.url),
  [
    "/** Made from openapi.json by `npm run types`; do not edit. */\n",
    ...requested().map((name) => constant(name, Object.entries(components.schemas[name].properties ?? {}))),
    ...operations.map((operation) => constant(operation.operationId, queryOf(operation))),
  ].join("\n"),
)
