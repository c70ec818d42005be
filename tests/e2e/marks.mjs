// Visit every page of the app with one kind of data on it, and read which of its watts have their mark in sight.
// usage: node marks.mjs URL JSON        JSON: {kind: {server, mark (a pattern), run}}
import { readFileSync } from 'node:fs'
import { report, withPage } from './browser.mjs'

const [url, kinds] = process.argv.slice(2)
const ROUTER = new URL('../../frontend/src/router.ts', import.meta.url)
/** Pages without a figure of a run or a meter, or of others' alone. */
const LEFT_OUT = ['/', '/gallery', '/start', '/access', '/login', '/:rest(.*)*', '/alarms', '/plans/new', '/plans/:name', '/workloads', '/workloads/new',
  '/servers/:id?', '/library/:id?/:audit?', '/calibration', '/calibration/certificates/:id',
  '/calibration/check-standards/:name', '/archives', '/memory/question']
const query = (values) => `?${new URLSearchParams(values)}`
const routes = () => [...readFileSync(ROUTER, 'utf8').matchAll(/\bpath: "([^"]+)"/g)].map(([, path]) => path)

/** Where each route shows figures of one kind alone. */
function addresses({ server, run, workload, level, live }) {
  const what = { workload, level }
  return {
    '/runs': [`/runs${query({ server })}`],
    '/runs/:id': ['', 'power', 'verdicts'].map((tab) => `/runs/${run}${query({ tab })}`),
    '/runs/overlay': [`/runs/overlay${query({ runs: run })}`],
    '/compare': [`/compare${query({ ...what, server })}`],
    '/memory': [`/memory${query({ server, ...what })}`],
    '/scaling': ['efficiency', 'power'].map((curve) => `/scaling${query({ workload, search: server, curve })}`),
    '/suites': [`/suites${query({ suite: 'graduated-trial', configuration: `${server}/dimms-8` })}`],
    '/parts': [`/parts${query({ server, ...what })}`],
    '/export': ['results', 'compare', 'memory', 'run'].map((table) => `/export${query({ table, server, run_id: run, ...what })}`),
    '/campaign': ['/campaign'],
    ...(live ? { '/live': ['/live'], '/today': ['/today'], '/live/bench': ['/live/bench'], '/meters': ['/meters'], '/gateway': ['/gateway'] } : {}),
  }
}

/** Text in sight below the bar, and what the bar says. */
const read = (page) =>
  page.evaluate(() => {
    const seen = (root) => root?.innerText ?? ''
    const main = document.querySelector('main')
    const drawn = [...(main?.querySelectorAll('svg text') ?? [])].map((text) => text.textContent).join(' ')
    return { main: `${seen(main)} ${drawn}`, bar: seen(document.querySelector('header')) }
  })

const WATTS = /\d[\u00a0\u202f ]?W\b|\/J\b|\[W\]/

async function visit(page, path, mark) {
  await page.goto(url + path)
  await page.waitForSelector('main')
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'))
  await page.waitForTimeout(600)
  await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'))
  const { main, bar } = await read(page)
  const marked = (text) => new RegExp(mark).test(text.toLowerCase().replace(/[\u00a0\u202f]/g, ' '))
  const has = (text) => ({ watts: WATTS.test(text), marked: marked(text) })
  return { main: has(main), bar: has(bar) }
}

report(() =>
  withPage({ reducedMotion: 'reduce' }, async (page) => {
    const known = routes().filter((path) => !LEFT_OUT.includes(path))
    const pages = {}
    for (const kind of Object.values(JSON.parse(kinds))) {
      const all = addresses(kind)
      for (const route of known) {
        if (!(route in all) && kind.live) throw new Error(`${route}: say in marks.mjs where this route shows figures`)
        for (const path of all[route] ?? []) pages[`${kind.mark} ${path}`] = await visit(page, path, kind.mark)
      }
    }
    return { pages }
  }),
)
