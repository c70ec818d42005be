// What a new user gets wrong on an empty service: a meter, a server, modules moved by hand and keys, deleting, undo.
// usage: node first_run.mjs URL FOLDER PORT (of a simulated Modbus TCP meter)
import { join } from 'node:path'
import { getJson, report, withPage } from './browser.mjs'
import { nothingFound, seeNow } from './looks.mjs'

const [url, folder, port] = process.argv.slice(2)
const seen = nothingFound(folder)
const entries = async () => (await getJson(`${url}/api/bench/entries`)).bench

const main = (page) => page.locator('main')
const save = (page) => page.getByRole('button', { name: /^Save( without a test)?$/ }).click()

async function connect(page) {
  await page.goto(url)
  await page.getByRole('heading', { name: 'First steps' }).waitFor()
  seen.everybody = await page.getByText('Everyone on this machine has full access').innerText()
  await seeNow(page, 'start', seen)
  await main(page).getByRole('link', { name: 'Connect a meter' }).click()
  await page.getByRole('searchbox').fill('gavazzi')
  await page.getByRole('button', { name: /EM24-DIN E1/ }).click()
  await page.getByLabel('Host', { exact: true }).fill('127.0.0.1')
  await page.getByLabel('Port', { exact: true }).fill('none')
  seen.wrongPort = await page.getByText('a whole number from 1 to 65535').innerText()
  await page.getByLabel('Port', { exact: true }).fill(port)
  seen.address = await page.locator('code', { hasText: `:${port}` }).innerText()
  await page.getByRole('button', { name: 'Try', exact: true }).click()
  await page.getByRole('row', { name: /Active power, all phases/ }).waitFor()
  seen.tried = await page.getByRole('row', { name: /Active power, all phases/ }).innerText()
  seen.verdicts = await page.getByRole('list', { name: 'Verdicts' }).innerText()
  await page.getByLabel('Identifier').fill('wall')
  await page.getByLabel('Period [s]').fill('-1')
  await save(page)
  seen.wrongPeriod = await page.getByText('greater than 0').innerText()
  await seeNow(page, 'meter', seen)
  await page.reload()
  seen.kept = await page.getByLabel('Port', { exact: true }).inputValue()
  await page.getByLabel('Period [s]').fill('1')
  await save(page)
  const row = page.getByRole('row', { name: /wall/ })
  await row.getByText(/\d\sW/).first().waitFor()
  seen.live = await row.innerText()
  await seeNow(page, 'meters', seen)
}

const slot = (page, name) => page.getByRole('button', { name: `Slot ${name}` })

async function describe(page) {
  await page.getByRole('link', { name: 'Next step: Add a server' }).click()
  await page.getByLabel('Title').first().fill('Test server')
  await page.getByLabel('wall carlogavazzi.em24e1').uncheck()
  await page.getByRole('button', { name: '4 FB-DIMMs' }).click()
  await slot(page, 'A1').dragTo(slot(page, 'B2'))
  seen.uneven = await page.getByText('hold different modules').innerText()
  await slot(page, 'B2').focus()
  for (const key of ['Enter', 'ArrowUp', 'ArrowLeft', 'Enter']) await page.keyboard.press(key)
  seen.said = await page.getByText('Placed in slot A1.').innerText()
  await slot(page, 'D1').dragTo(slot(page, 'D2'))
  await page.getByLabel('CPU model').fill('Xeon 5160')
  await page.getByLabel('Operating system', { exact: true }).fill('Debian 12')
  await save(page)
  seen.noKernel = await page.getByText('Fill in this field.').first().innerText()
  await seeNow(page, 'server-form', seen)
  await page.getByLabel('Kernel').fill('6.1')
  await save(page)
  await page.getByRole('heading', { name: /Test server/ }).waitFor()
  const saved = page.waitForResponse((answer) => answer.request().method() === 'PUT' && answer.url().includes('/api/bench/meters/'))
  await page.getByLabel('wall measures Whole server').click()
  // Whoever goes on before it is saved changes a bench that will not be the same any more, and is told so.
  await saved
  await page.getByRole('link', { name: 'Next step: Build a plan' }).waitFor()
  seen.server = (await entries()).servers[0]
  seen.feeds = (await entries()).meters[0].feeds
  await seeNow(page, 'server', seen)
}

async function deleteAndUndo(page) {
  await page.getByRole('button', { name: 'Delete Test server' }).click()
  const dialog = page.getByRole('dialog')
  seen.lost = await dialog.locator('p', { hasText: 'wall' }).first().innerText()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  seen.cancelled = (await entries()).servers.map((server) => server.id)
  await page.getByRole('button', { name: 'Delete Test server' }).click()
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('heading', { name: /Test server/ }).waitFor({ state: 'hidden' })
  seen.alone = await entries()
  await page.getByRole('button', { name: 'Undo' }).last().click()
  await page.getByRole('heading', { name: /Test server/ }).waitFor()
  seen.together = await entries()
  await page.goto(`${url}/meters`)
  await page.getByRole('button', { name: 'Change' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No meters yet').waitFor()
  seen.without = (await entries()).meters
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('row', { name: /wall/ }).waitFor()
  seen.back = (await entries()).meters.map((meter) => meter.id)
}

report(() =>
  withPage({}, async (page) => {
    try {
      await connect(page)
      await describe(page)
      await deleteAndUndo(page)
    } catch (error) {
      await page.screenshot({ path: join(folder, 'failed.png'), fullPage: true })
      throw error
    }
    return seen
  }),
)
