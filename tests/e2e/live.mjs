// See values, hold, zoom, cross a limit, lose the meter, have it back. usage: node live.mjs URL WATTMARK PORT PICTURES
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { nothingFound, seeAll, seeNow } from './looks.mjs'
import { report, withPage } from './browser.mjs'

const [url, wattmark, port, pictures] = process.argv.slice(2)
const meter = () => spawn(wattmark, ['meter', 'simulate', 'eastron.sdm630', '--port', port], { stdio: 'ignore' })

/** Give the meter a limit that it is beyond, see it told, and take the limit away again. */
async function beyondALimit(page, tile) {
  const edit = async (act) => {
    await page.goto(`${url}/meters?edit=is:wall`)
    await page.locator('summary', { hasText: 'Alarms' }).waitFor()
    await act()
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('row', { name: /wall/ }).waitFor()
    await page.goto(url)
  }
  const outcome = nothingFound(pictures)
  await edit(async () => {
    await page.locator('summary', { hasText: 'Alarms' }).click()
    await page.getByRole('button', { name: 'Add a limit' }).click()
    await page.getByLabel('Lower limit').fill('5')
    await page.getByLabel('Upper limit').fill('1')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    outcome.refused = await page.getByText('a high limit above the low limit').innerText()
    await page.getByLabel('Lower limit').fill('')
    await seeNow(page, 'limit-form', outcome)
  })
  await tile.getByText(/above 1\sW/).waitFor()
  outcome.told = await page.getByRole('status', { name: 'Alarms' }).innerText()
  outcome.metrics = await (await fetch(`${url}/metrics`)).text()
  await seeNow(page, 'limit', outcome)
  await edit(() => page.getByRole('button', { name: 'Remove limit 1' }).click())
  await tile.getByText('OK').waitFor()
  await tile.getByText(/above 1\sW/).waitFor({ state: 'detached' })
  return outcome
}

/** The bench view: the same mark, the wall figure, and where a phone finds it. */
async function atTheBench(page) {
  const outcome = nothingFound(pictures)
  await page.getByRole('link', { name: 'Bench view' }).click()
  await page.getByRole('button', { name: 'Clear the mark' }).waitFor()
  const wall = page.getByRole('region', { name: 'Wall power' })
  await wall.getByText(/\d/).first().waitFor()
  outcome.watts = await wall.innerText()
  outcome.pixels = await wall.locator('p').first().evaluate((figure) => parseFloat(getComputedStyle(figure).fontSize))
  await page.getByRole('button', { name: 'Open this page on a phone' }).click()
  outcome.phone = await page.getByText('Other devices cannot reach this service').innerText()
  await page.getByLabel('Sound when somebody is needed').check()
  outcome.remembered = await page.evaluate(() => localStorage.getItem('wattmark.bell'))
  await seeNow(page, 'bench', outcome)
  await page.getByRole('link', { name: 'Back to Live' }).click()
  await page.getByRole('heading', { name: 'Live', level: 1 }).waitFor()
  return outcome
}

report(async () => {
  let device = meter()
  const away = async () => {
    device.kill('SIGINT')
    await once(device, 'exit')
  }
  try {
    const seen = await withPage({}, async (page) => {
      await page.goto(url)
      const tile = page.locator('article[aria-label^="Reference meter"]')
      await tile.getByText('OK').waitFor()
      const value = await tile.locator('.text-40').textContent()

      await page.getByRole('button', { name: 'Pause' }).click()
      const paused = await page.getByText(/^Paused:/).textContent()
      await page.getByRole('button', { name: 'Resume' }).click()
      const box = await tile.locator('.u-over').boundingBox()
      await page.mouse.move(box.x + box.width * 0.4, box.y + 40)
      await page.mouse.down()
      await page.mouse.move(box.x + box.width * 0.6, box.y + 40, { steps: 4 })
      await page.mouse.up()
      const zoomed = await page.getByText(/^Paused:/).textContent()
      await page.getByRole('button', { name: 'Resume' }).click()

      const [past] = await Promise.all([
        page.waitForResponse((answer) => answer.url().includes('/api/live/history?source=wall')),
        page.getByText('1 day', { exact: true }).click(),
      ])
      const columns = await past.json()

      await page.getByRole('button', { name: 'Mark' }).click()
      const marked = await tile.locator('dl', { hasText: 'Since the mark at' }).innerText()
      const bench = await atTheBench(page)
      const limit = await beyondALimit(page, tile)
      await away()
      const alarms = page.getByRole('status', { name: 'Alarms' })
      await alarms.getByText('No answer.').waitFor()
      const lost = await alarms.textContent()
      const said = (await page.locator('main').innerText()).match(/does not answer/g).length
      const grey = await tile.locator('p.text-text-3', { has: page.locator('.text-40') }).count()
      const looks = await seeAll(url, pictures, { 'live-lost': '/', 'bench-lost': '/live/bench' })
      device = meter()
      await alarms.getByText('No answer.').waitFor({ state: 'detached', timeout: 90_000 })
      await tile.getByText('OK').waitFor()
      return { value, held: paused, zoomed, marked, bench, lost, said, grey, limit, columns: columns.map((column) => column.channel), looks }
    })
    return seen
  } finally {
    device.kill('SIGINT')
  }
})
