// The cross-check on the page of a run: its figure, its table, and how both look.
// usage: node cross_check.mjs URL FOLDER RUN
import { report, withPage } from './browser.mjs'
import { seeAll } from './looks.mjs'

const [url, folder, run] = process.argv.slice(2)

async function read(page) {
  const seen = {}
  await page.goto(`${url}/runs/${run}`)
  const figure = page.getByRole('img', { name: /against the wall meter/ })
  seen.label = await figure.getAttribute('aria-label')
  seen.figure = await figure.textContent()
  seen.table = await page.getByRole('region', { name: 'Cross-check of power sources' }).innerText()
  return seen
}

await report(async () => ({
  job: await withPage({}, read),
  looks: await seeAll(url, folder, { run: `/runs/${run}` }),
}))
