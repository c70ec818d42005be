// The main job as a person does it: watch a trace move, open a run, compare, take the CSV. usage: node main_job.mjs URL
import { goByKeys, report, take, withPage } from './browser.mjs'

const [url] = process.argv.slice(2)

/** Wait until the first trace is no longer what it was. */
async function moves(page) {
  const before = await page.locator('article canvas').first().evaluate((canvas) => canvas.toDataURL())
  await page.waitForFunction((was) => document.querySelector('article canvas').toDataURL() !== was, before)
}

report(() =>
  withPage({}, async (page) => {
    await page.goto(url)
    const tile = page.getByRole('article', { name: /^Reference meter / }).first()
    await tile.getByText('simulated').waitFor()
    await moves(page)
    const watts = await tile.locator('p').first().innerText()

    await goByKeys(page, 'r')
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
    await page.getByRole('row').filter({ hasText: 'FB-DIMMs' }).first().getByRole('link').first().click()
    await page.waitForURL(/\/runs\/[0-9a-f]+/)
    await page.getByText('Performance per watt').first().waitFor()
    await page.getByRole('tab', { name: 'Perf/W budget' }).click()
    await page.getByRole('cell', { name: /Specification of outlet/ }).waitFor()
    const run = { url: page.url(), text: await page.locator('main').innerText() }

    await goByKeys(page, 'c')
    await page.getByRole('heading', { name: 'Compare', level: 1 }).waitFor()
    await page.getByRole('table').first().waitFor()
    const compare = await page.locator('main').innerText()
    await page.getByRole('button', { name: 'Export' }).click()
    const { text: csv, name: file } = await take(page, page.getByRole('menuitem', { name: /CSV/ }))
    return { watts, run, compare, csv, file }
  }),
)
