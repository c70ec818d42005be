// Visit every page in light, dark and narrow; take pictures and run axe. usage: node tour.mjs URL FOLDER
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { axeSource, report, withPage } from './browser.mjs'

const [url, folder] = process.argv.slice(2)
const LOOKS = [
  { name: 'light', options: { colorScheme: 'light' } },
  { name: 'dark', options: { colorScheme: 'dark' } },
  { name: 'narrow', options: { colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true } },
]

async function pages() {
  const get = async (path) => (await fetch(url + path)).json()
  const [runs, choices] = [await get('/api/runs'), await get('/api/compare/choices')]
  const run = runs.find((one) => one.status === 'complete') ?? runs[0]
  const choice = choices.find((one) => one.measured > 0) ?? choices[0]
  const query = (values) => new URLSearchParams(values).toString()
  return {
    live: '/live',
    campaign: '/campaign',
    runs: '/runs',
    ...(run && { run: `/runs/${run.run_id}` }),
    compare: choice ? `/compare?${query({ workload: choice.workload, level: choice.level })}` : '/compare',
    memory: run ? `/memory?${query({ server: run.server, workload: run.workload, level: run.level })}` : '/memory',
    servers: '/servers',
    meters: '/meters',
    library: '/library',
    export: '/export',
  }
}

const check = (page) =>
  page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] })
    return violations.map((one) => `${one.id}: ${one.help} (${one.nodes.map((node) => node.target).slice(0, 3).join('; ')})`)
  })

report(async () => {
  mkdirSync(folder, { recursive: true })
  const all = await pages()
  const found = { pages: Object.keys(all), violations: {}, errors: [], foreign: [], overflow: [] }
  for (const look of LOOKS) {
    const seen = await withPage({ ...look.options, bypassCSP: true, reducedMotion: 'reduce' }, async (page) => {
      for (const [name, path] of Object.entries(all)) {
        await page.goto(url + path, { waitUntil: 'load' })
        await page.waitForSelector('main h1, main h2', { timeout: 15000 })
        await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'), null, { timeout: 15000 })
        await page.waitForTimeout(700)
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
        if (wide > 1) found.overflow.push(`${name} ${look.name}: ${wide} px`)
        await page.screenshot({ path: join(folder, `${name}-${look.name}.png`), fullPage: look.name !== 'narrow' })
        await page.evaluate(readFileSync(axeSource(), 'utf8'))
        const violations = await check(page)
        if (violations.length) found.violations[`${name} ${look.name}`] = violations
      }
      return {}
    })
    found.errors.push(...seen.errors)
    found.foreign.push(...seen.foreign)
  }
  return found
})
