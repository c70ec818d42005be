// Calibrate a cheap meter by a good one: choose the campaign, look at the fit, sign the certificate.
// usage: node in_house.mjs URL FOLDER
import { report, withPage } from './browser.mjs'
import { nothingFound, seeNow } from './looks.mjs'

const [url, folder] = process.argv.slice(2)

async function calibrate(page, looks) {
  const seen = {}
  await page.goto(`${url}/calibration`)
  await page.getByRole('button', { name: 'Calibrate in house' }).click()
  const dialog = page.getByRole('dialog')
  const choose = async (label, option) => {
    await dialog.getByRole('combobox', { name: label }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }
  await dialog.getByLabel('Laboratory').fill('Example Lab')
  await dialog.getByLabel('Signed by').fill('K. Berg')
  await choose('Campaign', 'short')
  await dialog.getByRole('button', { name: 'Compare' }).click()
  await dialog.getByText('No certificate', { exact: true }).waitFor()
  seen.refused = await dialog.innerText()
  await choose('Campaign', 'stepped')
  await dialog.getByRole('button', { name: 'Compare' }).click()
  await dialog.getByRole('button', { name: 'Issue the certificate' }).waitFor()
  seen.preview = await dialog.innerText()
  await seeNow(page, 'preview', looks)
  await dialog.getByRole('button', { name: 'Issue the certificate' }).click()
  await dialog.getByText('added to the register').waitFor()
  seen.issued = await dialog.innerText()
  await dialog.getByRole('link', { name: 'Show the certificate' }).click()
  await page.waitForURL('**/calibration/certificates/IH-PLUG-5-*')
  await page.getByRole('img', { name: /calibration points/ }).waitFor()
  seen.certificate = await page.locator('main').innerText()
  return seen
}

await report(async () => {
  const looks = nothingFound(folder)
  return { job: await withPage({}, (page) => calibrate(page, looks)), looks }
})
