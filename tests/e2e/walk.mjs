// From an empty data folder to a published comparison; every click is counted, typing is not.
// The meter is a simulated one that the service starts: nothing is typed on a terminal.
// usage: node walk.mjs URL FOLDER
import { join } from 'node:path'
import { getJson, report, take, withPage } from './browser.mjs'
import { nothingFound, seeNow } from './looks.mjs'

const [url, folder] = process.argv.slice(2)
const seen = { ...nothingFound(folder), clicks: [] }
const begun = Date.now()

async function click(target, act = (element) => element.click()) {
  await target.waitFor()
  seen.clicks.push((await target.innerText()).split('\n')[0])
  return act(target)
}
const button = (page, name) => page.getByRole('button', { name, exact: true })
const type = async (page, fields) => {
  for (const [label, text] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).first().fill(text)
}

async function connect(page) {
  await page.goto(url)
  await click(page.getByRole('link', { name: 'Use a simulated meter' }))
  await page.locator('code', { hasText: 'simulated://' }).waitFor()
  await type(page, { 'Period [s]': '0.2' })
  await seeNow(page, 'walk-meter', seen)
  await click(button(page, 'Try, save and add a server'))
}

async function describe(page) {
  await page.getByRole('heading', { name: 'Add a server' }).waitFor()
  await type(page, { Title: 'Test server', 'DIMM counts to compare': '4, 8', 'CPU model': 'Xeon 5160' })
  await type(page, { 'Operating system': 'Debian 12', Kernel: '6.1' })
  await seeNow(page, 'walk-server', seen)
  await click(button(page, 'Save and build a plan'))
}

async function plan(page) {
  await page.getByRole('heading', { name: 'New plan' }).waitFor()
  await type(page, { Repeats: '2', 'Idle before': '0', Measure: '2', Settle: '0' })
  await page.getByText(/^4 runs/).first().waitFor()
  await seeNow(page, 'walk-plan', seen)
  await click(button(page, 'Save and start'))
  await click(page.getByRole('dialog').getByRole('button', { name: 'Start first' }))
  await page.waitForURL('**/campaign')
}

async function measure(page) {
  const strip = page.locator('main').getByRole('region', { name: 'Campaigns' })
  seen.boards = []
  // Two repeats of two configurations in random blocks: the modules are fitted anew for each run.
  for (const run of [1, 2, 3, 4]) {
    await button(strip, 'Configuration installed: continue').waitFor()
    const [filled] = (await strip.getByText(/^\d of 8 slots filled/).innerText()).split(' ')
    seen.boards.push({
      filled: Number(filled),
      steps: await strip.getByRole('list', { name: 'Steps' }).getByRole('listitem').allInnerTexts(),
      fit: await strip.getByText(/^Fit [A-D]\d: FB-DIMM/).count(),
    })
    await seeNow(page, `walk-board-${run}`, seen)
    await click(button(strip, 'Configuration installed: continue'))
    await button(strip, 'Configuration installed: continue').waitFor({ state: 'hidden' })
  }
  await strip.getByText('Complete', { exact: true }).waitFor()
  seen.bench = (await getJson(`${url}/api/bench/entries`)).bench
  await seeNow(page, 'walk-complete', seen)
  await click(strip.getByRole('link', { name: 'Export the comparison' }))
}

async function publish(page) {
  seen.file = await click(page.getByRole('link', { name: 'CSV', exact: true }), (link) => take(page, link))
  seen.seconds = (Date.now() - begun) / 1000
  seen.latex = await take(page, page.getByRole('link', { name: 'LaTeX', exact: true }))
}

report(() =>
  withPage({}, async (page) => {
    try {
      for (const act of [connect, describe, plan, measure, publish]) await act(page)
    } catch (error) {
      await page.screenshot({ path: join(folder, 'failed.png'), fullPage: true })
      throw error
    }
    return seen
  }),
)
