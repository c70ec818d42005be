// Take runs away from one service and bring them into another, by file and over the server that both know.
// usage: node archives.mjs URL_A URL_B FOLDER
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { getJson, goByKeys, report, withPage } from './browser.mjs'
import { nothingFound, seeNow } from './looks.mjs'

const [a, b, folder] = process.argv.slice(2)
const file = join(folder, 'runs.zip')
const textOf = async (page, name) => page.getByRole('region', { name }).first().innerText()

async function takeAway(page) {
  const tags = { run_ids: ['a-0'], add: ['winter'], remove: [] }
  const headers = { 'Content-Type': 'application/json' }
  await fetch(`${a}/api/annotations/tags`, { method: 'POST', headers, body: JSON.stringify(tags) })
  await page.goto(`${a}/runs`)
  for (const run of ['a-0', 'a-1']) await page.locator(`input[data-run="${run}"]`).check()
  await page.getByRole('toolbar').getByRole('button', { name: 'Save as archive' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'With notes and tags' }).click(),
  ])
  await download.saveAs(file)
}

async function bringIn(page, seen) {
  await page.goto(`${b}/runs`)
  await page.locator('main h1').waitFor()
  await goByKeys(page, 'x')
  const chooser = page.getByRole('region', { name: 'Import runs' }).locator('input[type=file]')
  const content = readFileSync(file)
  writeFileSync(join(folder, 'broken.zip'), content.subarray(0, content.length - 30))
  await chooser.setInputFiles(join(folder, 'broken.zip'))
  seen.broken = await page.getByRole('alert').filter({ hasText: 'broken.zip' }).innerText()
  await chooser.setInputFiles(file)
  await page.getByRole('button', { name: 'Import 2 runs' }).waitFor()
  seen.contents = await textOf(page, 'Archive of Lab A')
  await seeNow(page, 'contents', seen)
  await page.getByRole('button', { name: 'Import 2 runs' }).click()
  const outcome = page.getByRole('status').filter({ hasText: 'of Lab A imported' })
  seen.outcome = await outcome.innerText()
  await chooser.setInputFiles(file)
  await page.getByText('All its runs are already here').first().waitFor()
  seen.again = await textOf(page, 'Archive of Lab A')
}

async function copyShared(page, seen) {
  await page.getByRole('combobox', { name: 'Recorded' }).click()
  await page.getByRole('option', { name: 'at any time' }).click()
  const copy = page.getByRole('button', { name: 'Copy here: 8 FB-DIMMs' })
  await copy.waitFor()
  seen.shared = await textOf(page, 'Shared server')
  await seeNow(page, 'shared', seen)
  await copy.click()
  await page.getByText('1 run copied and recomputed').waitFor()
  await copy.waitFor({ state: 'hidden' })
  seen.sharedAfter = await textOf(page, 'Shared server')
}

async function everywhere(page, seen) {
  await page.goto(`${b}/runs`)
  await page.getByText('from Lab A').first().waitFor()
  seen.badges = await page.locator('tbody').getByText('from Lab A').count()
  await page.goto(`${b}/runs/a-1`)
  seen.runPage = await page.locator('header').getByText('from Lab A').first().innerText()
  await page.goto(`${b}/compare`)
  await page.getByRole('button', { name: /\(Lab A\)/ }).first().waitFor()
  seen.compared = await page.locator('main').innerText()
  await page.goto(`${b}/access`)
  await page.getByRole('cell', { name: 'archives_upload_archive' }).first().waitFor()
  seen.audit = await textOf(page, 'Audit log')
}

report(() =>
  withPage({}, async (page) => {
    const seen = nothingFound(folder)
    await takeAway(page)
    await bringIn(page, seen)
    await copyShared(page, seen)
    await everywhere(page, seen)
    const [runsA, runsB, notes] = await Promise.all(
      [`${a}/api/runs`, `${b}/api/runs`, `${b}/api/annotations`].map(getJson),
    )
    return { ...seen, runsA: runsA.results, runsB: runsB.results, tags: notes.find((note) => note.run_id === 'a-0').tags }
  }),
)
