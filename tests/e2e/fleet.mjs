// A fleet in a browser: the root, pages and facets of Compare, a lab's runs, one run recomputed, memory, a ring comparison; axe.
// usage: node fleet.mjs URL FOLDER RUN_WITH_SAMPLES
import { report, withPage } from './browser.mjs'
import { seeAll } from './looks.mjs'

const [url, folder, run] = process.argv.slice(2)
const paging = (page) => page.getByRole('group', { name: 'Pages of the list' }).getByRole('status').first()
const saysPaging = (page, text) => paging(page).filter({ hasText: text }).waitFor()
const query = (page) => Object.fromEntries(new URL(page.url()).searchParams)

async function compare(page, seen) {
  await page.goto(`${url}/`)
  await saysPaging(page, '1–50 of')
  seen.root = new URL(page.url()).pathname
  seen.bar = await page.getByRole('banner').innerText()
  seen.rail = await page.getByRole('complementary').getByRole('link').allInnerTexts()
  seen.firstPage = await paging(page).innerText()
  await page.getByRole('button', { name: 'Next page' }).first().click()
  await saysPaging(page, '51–')
  seen.secondPage = await paging(page).innerText()
  seen.pageInAddress = query(page).page
  // By keys: open the facet, find a lab by a part of its name, choose it.
  await page.getByRole('button', { name: 'Lab', exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('combobox', { name: 'Find in lab' }).waitFor()
  await page.keyboard.type('0003')
  await page.getByRole('option').nth(1).waitFor({ state: 'detached' })
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Escape')
  await saysPaging(page, 'of 10 ')
  seen.ofOneLab = { text: await paging(page).innerText(), query: query(page) }
  const rows = page.getByRole('region', { name: 'Table' }).getByRole('button', { name: /^Details of / })
  seen.names = await rows.allInnerTexts()
  await rows.first().click()
  await page.getByRole('link', { name: /^Show its 2 runs/ }).click()
  await saysPaging(page, 'of 2 ')
  seen.runs = await page.getByRole('region', { name: 'Runs' }).innerText()
}

async function oneRun(page, seen) {
  await page.goto(`${url}/fleet/runs/${run}`)
  const figures = page.getByRole('region', { name: 'Figures' })
  await page.getByText('As its lab issued it, version 1.').waitFor()
  await page.locator('canvas').first().waitFor()
  const issued = await figures.innerText()
  await page.getByRole('button', { name: 'Recomputed' }).click()
  await page.getByText('Evaluated now from the raw samples in the store.').waitFor()
  await page.waitForLoadState('networkidle')
  seen.recomputed = { query: query(page), same: (await figures.innerText()) === issued }
  seen.absent = await page.getByRole('main').getByRole('button', { name: /Export|Archive|Rank|Add tag/ }).count()
}

async function memoryAndRing(page, seen) {
  await page.goto(`${url}/fleet/memory`)
  await page.getByRole('button', { name: /^node-.*Lab 0002/ }).first().click()
  seen.fit = await page.getByRole('region', { name: 'Results of the fit' }).innerText()
  await page.goto(`${url}/fleet/ring`)
  await page.getByRole('link', { name: /^Compare the labs of / }).first().click()
  await page.getByRole('heading', { name: 'Labs', exact: true }).waitFor()
  seen.ring = { address: page.url().slice(url.length), table: await page.getByRole('region', { name: 'Labs' }).innerText() }
}

report(async () => {
  const asked = []
  const seen = await withPage({}, async (page) => {
    page.on('request', (request) => asked.push(new URL(request.url()).pathname))
    const seen = {}
    await compare(page, seen)
    await oneRun(page, seen)
    await memoryAndRing(page, seen)
    return seen
  })
  const notOfTheFleet = asked.filter((path) => path.startsWith('/api/') && !/^\/api\/(fleet|session|health)\b/.test(path))
  const pages = { compare: '/fleet/compare', runs: '/fleet/runs', run: `/fleet/runs/${run}`, memory: '/fleet/memory', rings: '/fleet/ring', ring: seen.ring.address }
  const looks = await seeAll(url, folder, pages, ['narrow'])
  return { ...looks, ...seen, notOfTheFleet, errors: [...seen.errors, ...looks.errors], foreign: [...seen.foreign, ...looks.foreign] }
})
