// Drop a CSV file that no kind knows, make a mapping of it, import by it, and drop a folder of such files.
// usage: node csv_mapping.mjs URL FOLDER FILE
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { getJson, goByKeys, report, withPage } from './browser.mjs'
import { nothingFound, seeNow } from './looks.mjs'

const [url, folder, file] = process.argv.slice(2)
const region = (page) => page.getByRole('region', { name: 'Import published results' })

/** Drop text files. */
async function drop(page, files) {
  const data = await page.evaluateHandle((all) => {
    const transfer = new DataTransfer()
    for (const { name, text } of all) transfer.items.add(new File([text], name, { type: 'text/csv' }))
    return transfer
  }, files)
  await region(page).getByText('Drop a file, a folder or a zip file here, or').dispatchEvent('drop', { dataTransfer: data })
}

async function choose(page, name, option, nth = 0) {
  await page.getByRole('combobox', { name }).nth(nth).press('Enter')
  await page.getByRole('option', { name: option, exact: true }).press('Enter')
}

async function makeMapping(page, seen) {
  await page.goto(url)
  await page.locator('main h1').waitFor()
  await goByKeys(page, 'x')
  await region(page).locator('input[type=file]:not([webkitdirectory])').setInputFiles(file)
  const mapper = page.getByRole('region', { name: `Columns of ${basename(file)}` })
  await mapper.getByText('The time stamps name no time zone. Enter').waitFor()
  seen.unzoned = await page.getByRole('button', { name: 'Keep the mapping and read the file' }).isDisabled()
  seen.proposed = await mapper.locator('th').allInnerTexts()
  await page.getByLabel('Time zone of the time stamps').fill('Europe/London')
  // "Total" alone names no unit, so nothing is proposed for it.
  await choose(page, 'Holds', 'Energy, counter', 4)
  await choose(page, 'Unit', 'kWh', 3)
  await mapper.getByText('17 readings from').waitFor()
  await mapper.locator('td', { hasText: '183' }).or(mapper.locator('td', { hasText: '178' })).first().waitFor()
  seen.becomes = await mapper.getByRole('region', { name: 'What the first lines become' }).innerText()
  await seeNow(page, 'mapper', seen)
  await page.getByLabel('Name of the mapping').fill('HS110')
  await page.getByRole('button', { name: 'Keep the mapping and read the file' }).click()
}

async function importByIt(page, seen) {
  await page.getByRole('button', { name: 'Import 1 result' }).waitFor()
  seen.preview = await region(page).innerText()
  await seeNow(page, 'preview', seen)
  await page.getByRole('button', { name: 'Import 1 result' }).click()
  await page.getByText('1 result imported').waitFor()
  seen.runs = (await getJson(`${url}/api/runs`)).results
}

/** Days of the same logger: the mapping is found by itself, and all come as one import, dropped or as a folder. */
async function bringInSeveral(page, seen) {
  await page.reload()
  await page.locator('main h1').waitFor()
  const text = readFileSync(file, 'utf8')
  const days = ['22', '23'].map((day) => ({ name: `${day}.csv`, text: text.replaceAll('2018-04-21', `2018-04-${day}`) }))
  await drop(page, days)
  await page.getByRole('button', { name: 'Import 2 results' }).waitFor()
  seen.both = await region(page).innerText()
  const logs = join(folder, 'logs')
  mkdirSync(join(logs, 'rack 3'), { recursive: true })
  for (const { name, text } of days) writeFileSync(join(logs, 'rack 3', name), text)
  writeFileSync(join(logs, '24.csv'), text.replaceAll('2018-04-21', '2018-04-24'))
  writeFileSync(join(logs, 'notes.txt'), 'no log')
  await region(page).locator('input[webkitdirectory]').setInputFiles(logs)
  await page.getByRole('button', { name: 'Import 3 results' }).waitFor()
  seen.folder = await region(page).innerText()
}

async function deleteIt(page, seen) {
  await choose(page, 'Kind', 'CSV by a mapping of its columns')
  await page.getByText('Mappings kept here').click()
  await page.getByRole('button', { name: 'Delete HS110' }).click()
  await page.getByText('The mapping HS110 was deleted').waitFor()
  seen.deleted = await getJson(`${url}/api/imports/mappings`)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Mappings kept here').waitFor()
  seen.restored = (await getJson(`${url}/api/imports/mappings`)).map(({ name }) => name)
}

report(() =>
  withPage({}, async (page) => {
    const seen = nothingFound(folder)
    await makeMapping(page, seen)
    await importByIt(page, seen)
    await bringInSeveral(page, seen)
    await deleteIt(page, seen)
    return seen
  }),
)
