// The morning at the appliance: what "/" opens, last night and bench health in every look, and a plan in the queue that cannot run.
// usage: node today.mjs URL FOLDER
import { report, withPage } from './browser.mjs'
import { nothingFound, seeNow } from './looks.mjs'

const [url, folder] = process.argv.slice(2)

async function morning(page, seen) {
  await page.goto(url)
  await page.getByRole('heading', { name: 'Bench health' }).waitFor()
  await page.getByRole('img').first().waitFor()
  seen.opened = page.url()
  seen.headings = await page.locator('main h2').allInnerTexts()
  seen.night = await page.getByRole('region', { name: 'Last night' }).innerText()
  seen.health = await page.getByRole('region', { name: 'Bench health' }).innerText()
  seen.charts = await page.locator('main svg[role="img"]').count()
  await seeNow(page, 'today', seen)
}

async function queue(page, seen) {
  await page.goto(`${url}/campaign`)
  await page.getByRole('button', { name: 'Queue impossible' }).click()
  const region = page.getByRole('region', { name: 'Queue' })
  await region.getByText('Not run').first().waitFor()
  seen.queue = await region.innerText()
  seen.refused = await region.getByRole('list', { name: 'Latest' }).innerText()
  await seeNow(page, 'queue', seen)
}

report(() =>
  withPage({ reducedMotion: 'reduce' }, async (page) => {
    const seen = nothingFound(folder)
    await morning(page, seen)
    await queue(page, seen)
    return seen
  }),
)
