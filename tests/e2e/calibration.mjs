// The owner of a meter at work: add a certificate, see the error, recompute what is in doubt, read a check standard.
// usage: node calibration.mjs URL FOLDER GOOD_FILE BAD_FILE
import { goByKeys, report, withPage } from './browser.mjs'
import { seeAll } from './looks.mjs'

const [url, folder, good, bad] = process.argv.slice(2)
const CERTIFICATE = '/calibration/certificates/CAL-E2E'

async function addCertificate(page, seen) {
  await page.goto(url)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await goByKeys(page, 'k')
  await page.getByRole('heading', { name: 'No certificates yet' }).waitFor()
  await page.getByRole('cell', { name: 'Specification', exact: true }).waitFor()
  seen.before = await page.locator('main').innerText()
  await page.getByRole('button', { name: 'Add a certificate' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('File', { exact: true }).setInputFiles(bad)
  await dialog.getByRole('button', { name: 'Add a certificate' }).click()
  seen.refusal = await dialog.getByRole('alert').innerText()
  await dialog.getByLabel('File', { exact: true }).setInputFiles(good)
  await dialog.getByLabel('Approved by').fill('E. Bauer')
  await dialog.getByRole('button', { name: 'Add a certificate' }).click()
  await dialog.getByText('added to the register').waitFor()
  seen.added = await dialog.innerText()
  await dialog.getByRole('link', { name: 'Show the certificate' }).click()
}

async function readCertificate(page, seen) {
  await page.waitForURL(`**${CERTIFICATE}`)
  seen.curve = await page.getByRole('img', { name: /worst verdict/ }).getAttribute('aria-label')
  seen.points = await page.getByRole('region', { name: 'Points' }).innerText()
  await page.getByRole('button', { name: 'Table' }).click()
  seen.table = await page.getByRole('region', { name: /Error of the meter/ }).innerText()
}

async function recompute(page, seen) {
  await page.getByRole('button', { name: 'Recompute 1 result' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Recompute' }).click()
  seen.unsigned = await dialog.innerText()
  await dialog.getByLabel('Your name').fill('E. Bauer')
  await dialog.getByLabel('Reason').fill('Found out of tolerance')
  await dialog.getByRole('button', { name: 'Recompute' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const review = page.getByRole('region', { name: /in doubt/ })
  await review.getByText(/−0\.2\d\s%/).first().waitFor()
  seen.review = await review.innerText()
  await page.getByRole('link', { name: 'fbd4' }).click()
  await page.getByRole('tab', { name: 'Calibration', selected: true }).waitFor()
  await page.getByRole('cell', { name: /current/ }).waitFor()
  seen.versions = await page.getByRole('tabpanel').innerText()
}

async function budget(page, seen) {
  await page.getByRole('tab', { name: 'Power budget' }).click()
  seen.dominates = await page.getByRole('img', { name: /dominates/ }).getAttribute('aria-label')
  seen.budget = await page.getByRole('tabpanel').innerText()
}

async function readCheckStandard(page, seen) {
  await page.goto(`${url}/calibration/check-standards/bulb`)
  await page.getByText('The baseline is complete').first().waitFor()
  await page.getByRole('button', { name: 'Record a reading' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('By hand').click()
  await dialog.getByLabel('Operator').fill('E. Bauer')
  await dialog.getByRole('button', { name: 'Record a reading' }).click()
  seen.incomplete = await dialog.innerText()
  await dialog.getByLabel('Mean power [W]').fill('3,5')
  await dialog.getByRole('button', { name: 'Record a reading' }).click()
  seen.refusedReading = await dialog.getByRole('alert').innerText()
  await dialog.getByLabel('Mean power [W]').fill('101,0')
  await dialog.getByRole('button', { name: 'Record a reading' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await page.getByRole('heading', { name: 'Violated rules' }).waitFor()
  seen.chart = await page.locator('main').innerText()
}

report(async () => {
  const job = await withPage({}, async (page) => {
    const seen = {}
    for (const step of [addCertificate, readCertificate, recompute, budget, readCheckStandard]) await step(page, seen)
    return seen
  })
  const pages = { calibration: '/calibration', certificate: CERTIFICATE, 'check-standard': '/calibration/check-standards/bulb' }
  return { job, looks: await seeAll(url, folder, pages) }
})
