// The page of the gateway in every look: what is open, what fails, who asks; and the entry to copy for another protocol.
// usage: node gateway.mjs URL FOLDER WHAT      WHAT: a title that the page shows when it is ready
import { report, withPage } from './browser.mjs'
import { nothingFound, seeNow } from './looks.mjs'

const [url, folder, what] = process.argv.slice(2)

report(() =>
  withPage({ reducedMotion: 'reduce' }, async (page) => {
    const seen = nothingFound(folder)
    await page.goto(`${url}/gateway`)
    await page.getByText(what).first().waitFor()
    const cards = page.locator('main article')
    seen.cards = {}
    for (const card of await cards.all()) seen.cards[await card.getAttribute('aria-label')] = await card.innerText()
    const entry = page.getByRole('region', { name: 'Speak a meter' })
    seen.first = await entry.locator('pre').innerText()
    await entry.getByLabel('Protocol').click()
    await page.getByRole('option', { name: 'SNMP' }).click()
    seen.second = await entry.locator('pre').innerText()
    seen.main = await page.locator('main').innerText()
    await seeNow(page, 'gateway', seen)
    return seen
  }),
)
