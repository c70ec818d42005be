// Visit every page in every look, or in those named; take pictures and run axe.
// usage: node tour.mjs URL FOLDER [LOOK,LOOK]
import { readFileSync } from 'node:fs'
import { getJson, report } from './browser.mjs'
import { seeAll } from './looks.mjs'

const [url, folder, looks] = process.argv.slice(2)
const ROUTER = new URL('../../frontend/src/router.ts', import.meta.url)
/** Only in development. */
const LEFT_OUT = ['/gallery']

const routes = () => [...readFileSync(ROUTER, 'utf8').matchAll(/\bpath: "([^"]+)"/g)].map(([, path]) => path)
const query = (values) => `?${new URLSearchParams(values)}`
const nameOf = (path) => path.slice(1).replaceAll('/', '-')

/** A run with the figures of its window below the traces. */
function span({ run_id: id, window_begin: begin, window_end: end }) {
  const at = (stamp) => (Date.parse(stamp) / 1000).toFixed(3)
  return begin ? { span: `/runs/${id}${query({ span: `${at(begin)}~${at(end)}` })}` } : {}
}

/** Where the routes lead that need a name, and what pages of a demo show more of; null: this data has none. */
async function examples() {
  const get = (path) => getJson(url + path)
  const [{ results: runs }, choices, bench] = [await get('/api/runs'), await get('/api/compare/choices'), await get('/api/bench')]
  const run = runs.find((candidate) => candidate.status === 'complete') ?? runs[0]
  const choice = choices.find((option) => option.measured > 0) ?? choices[0]
  const [plan] = bench.plans
  return {
    '/': { first: '/' },
    '/plans/new': { 'new-plan': '/plans/new' },
    '/plans/:name': plan ? { plan: `/plans/${plan.name}` } : null,
    '/runs/:id': run ? { run: `/runs/${run.run_id}`, budget: `/runs/${run.run_id}?tab=power`, ...span(run) } : null,
    '/runs/overlay': { overlay: `/runs/overlay${query({ runs: runs.slice(0, 6).map((run) => run.run_id).join() })}` },
    '/compare': { compare: `/compare${choice ? query({ workload: choice.workload, level: choice.level }) : ''}` },
    '/memory': {
      memory: `/memory${run ? query({ server: run.server, workload: run.workload, level: run.level }) : ''}`,
    },
    '/servers/:id?': { servers: '/servers' },
    '/library/:id?/:audit?': { library: '/library', imported: '/library/imported', audits: '/library/audits' },
    // The demo has neither; test_calibration.py makes them and looks at them.
    '/calibration/certificates/:id': null,
    '/calibration/check-standards/:name': null,
    '/:rest(.*)*': { missing: '/nowhere' },
  }
}

/** Name -> path of every route that the app has; one that needs a name must have an example. */
async function pages() {
  const addresses = await examples()
  return Object.assign({}, ...routes().filter((path) => !LEFT_OUT.includes(path)).map((path) => {
    if (path in addresses) return addresses[path]
    if (path.includes(':')) throw new Error(`${path}: give tour.mjs an example of this route`)
    return { [nameOf(path)]: path }
  }))
}

report(async () => seeAll(url, folder, await pages(), looks?.split(',')))
