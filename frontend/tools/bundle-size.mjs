// Print what a first visit loads, and fail when its script outgrows the limit. The first visit shows the Live page.
import { readdirSync, readFileSync } from "node:fs"
import { gzipSync } from "node:zlib"

const LIMIT_KB = 100
const FIRST_PAGE = /^LivePage-.*\.js$/
const root = new URL("../../backend/wattmark/_ui/", import.meta.url)
const read = (path) => readFileSync(new URL(path, root))
const kb = (names) =>
  [...names].reduce((sum, name) => sum + gzipSync(read(`assets/${name}`), { level: 9 }).length, 0) / 1000

/** A chunk and everything that it imports before it can run. */
function closure(name, seen = new Set()) {
  if (seen.has(name)) return seen
  seen.add(name)
  const source = read(`assets/${name}`).toString()
  for (const [, found] of source.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)) closure(found, seen)
  return seen
}

const assets = readdirSync(new URL("assets/", root))
const html = read("index.html").toString()
const entry = /<script type="module"[^>]* src="\/assets\/([^"]+)"/.exec(html)[1]
const page = assets.find((name) => FIRST_PAGE.test(name))
const shell = closure(entry)
const visit = closure(page, new Set(shell))
const styles = assets.filter((name) => name.endsWith(".css"))
const script = kb(visit)

console.log(
  `first visit: script ${script.toFixed(1)} kB gzip (limit ${LIMIT_KB}): shell ${kb(shell).toFixed(1)}, ` +
    `Live page ${(script - kb(shell)).toFixed(1)}; all styles ${kb(styles).toFixed(1)} kB`,
)
for (const name of assets.filter((one) => /Page-.*\.js$/.test(one) && one !== page)) {
  const more = closure(name, new Set(visit))
  console.log(`  then ${name.replace(/-.*/, "")}: ${(kb(more) - script).toFixed(1)} kB more`)
}
if (script > LIMIT_KB) {
  console.error("The script of the first visit is above its limit: load something later or do without it.")
  process.exit(1)
}
