// The documents as a reader uses them: from the app, by search, from page to page.
// usage: node documents.mjs URL FOLDER
import { report, withPage } from './browser.mjs'
import { nothingFound, seeNow } from './looks.mjs'

const [url, folder] = process.argv.slice(2)

report(() =>
  withPage({}, async (page) => {
    const seen = nothingFound(folder)
    await page.goto(`${url}/runs`)
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    await page.getByRole('complementary').getByRole('link', { name: 'Documents' }).click()
    await page.getByRole('heading', { level: 1, name: 'wattmark' }).waitFor()
    const address = page.url()
    await seeNow(page, 'documents', seen)
    await page.getByRole('searchbox').or(page.locator('input[name=q]')).first().fill('FB-DIMM')
    await page.keyboard.press('Enter')
    await page.locator('.search-summary', { hasText: /found \d+ pages/ }).waitFor()
    const results = await page.locator('#search-results li a').allTextContents()
    await page.goto(`${url}/docs/guide/first-hour.html`)
    await seeNow(page, 'document', seen)
    const next = await page.locator('a.next-page .title').textContent()
    await page.locator('a.next-page').click()
    const heading = await page.locator('article h1').textContent()
    return { ...seen, address, results, next, heading }
  }),
)
