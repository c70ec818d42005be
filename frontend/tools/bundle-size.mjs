// Print what a first visit loads and fail when the first-load script outgrows its limit.
import { readdirSync, readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"

const LIMIT_KB = 120
const root = new URL("../../backend/wattmark/_ui/", import.meta.url)
const kb = (path) => gzipSync(readFileSync(new URL(path, root)), { level: 9 }).length / 1000
const html = readFileSync(new URL("index.html", root), "utf8")
const first = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.(?:js|css))"/g)].map((match) => match[1])
const assets = readdirSync(new URL("assets/", root)).filter((name) => name.endsWith(".js"))

const script = first.filter((path) => path.endsWith(".js")).reduce((sum, path) => sum + kb(path), 0)
const style = first.filter((path) => path.endsWith(".css")).reduce((sum, path) => sum + kb(path), 0)
console.log(
  `first load: script ${script.toFixed(1)} kB, style ${style.toFixed(1)} kB (gzip; limit ${LIMIT_KB} kB of script)`,
)
const lazy = assets.filter((name) => !first.includes(`assets/${name}`)).map((name) => [name, kb(`assets/${name}`)])
for (const [name, size] of lazy.sort((a, b) => b[1] - a[1]).slice(0, 8))
  console.log(`  later: ${name} ${size.toFixed(1)} kB`)
if (script > LIMIT_KB) {
  console.error("The first-load script is above its limit: load something later or do without it.")
  process.exit(1)
}
