// Make a workload from what a program prints, by mouse and by keyboard, then try one that ships.
// usage: node workloads.mjs URL FOLDER OUTPUT
import { report, withPage } from './browser.mjs'
import { nothingFound, seeNow } from './looks.mjs'

const [url, folder, output] = process.argv.slice(2)

async function make(page, seen) {
  await page.goto(`${url}/campaign`)
  await page.locator('main').getByRole('link', { name: 'Workloads' }).click()
  await page.locator('main').getByRole('link', { name: 'Make a workload' }).click()
  await page.getByLabel('Output of the program').fill(output)
  await page.getByRole('button', { name: '5417.20, line 3', exact: true }).click()
  await page.getByLabel('What it counts').fill('requests')
  await page.getByText('Read in 1 line').waitFor()
  await page.getByText('5\u202f417.2 requests/s').waitFor()
  await page.getByRole('region', { name: 'A press on a number' }).getByText('Count of errors, must be 0').click()
  const errors = page.getByRole('button', { name: '0, line 2', exact: true })
  await errors.focus()
  await page.keyboard.press('Enter')
  await page.getByText('Fails on', { exact: true }).waitFor()
  await page.getByLabel('Name').fill('my-ab')
  await page.getByLabel('Title').fill('Start page of the shop')
  await page.getByLabel('Command').fill("ab -n 1000 'http://127.0.0.1/'")
  const entry = page.locator('pre', { hasText: 'workloads:' })
  await entry.waitFor()
  seen.entry = await entry.innerText()
  await seeNow(page, 'made', seen)
  // A unit that the program does not print is refused, as a run would.
  await page.getByLabel('Output of the program').fill('rate: 1.2 Mops/s')
  await page.getByRole('region', { name: 'A press on a number' }).getByText('Work done').click()
  await page.getByRole('button', { name: '1.2, line 1', exact: true }).click()
  await page.getByLabel('What it counts').fill('ops')
  await page.getByText('A run that prints this would fail:').waitFor()
  await seeNow(page, 'refused', seen)
}

async function tryOne(page, seen) {
  await page.goto(`${url}/workloads`)
  await page.getByRole('searchbox').fill('rsa2048-sign')
  await seeNow(page, 'workloads', seen)
  await page.getByRole('button', { name: 'Try openssl.rsa2048-sign' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Seconds').fill('2')
  await dialog.getByRole('button', { name: 'Start' }).click()
  const status = dialog.getByRole('status')
  await status.waitFor()
  seen.tried = await status.innerText()
  await seeNow(page, 'tried', seen)
}

report(() =>
  withPage({}, async (page) => {
    const seen = nothingFound(folder)
    await make(page, seen)
    await tryOne(page, seen)
    return seen
  }),
)
