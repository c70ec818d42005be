// Imported results on Compare, over the years, over their loads, and over DIMM counts. usage: node published.mjs URL FOLDER
import { readFileSync } from 'node:fs'
import { report, withPage } from './browser.mjs'
import { nothingFound, seeNow } from './looks.mjs'

const [url, folder] = process.argv.slice(2)
const shown = (page) => page.getByRole('status').filter({ hasText: /configuration/ }).innerText()

report(() =>
  withPage({ reducedMotion: 'reduce' }, async (page) => {
    const found = nothingFound(folder)
    await page.goto(`${url}/compare?workload=specpower.ssj2008&level=overall`)
    await page.getByRole('table').first().waitFor()
    const all = await shown(page)
    const headline = await page.locator('main p').first().innerText()
    await page.getByRole('button', { name: 'Years', exact: true }).click()
    const years = await page.getByRole('img', { name: /Median of/ }).getAttribute('aria-label')
    await page.getByRole('button', { name: 'Published', exact: true }).click()
    await page.waitForFunction(() => new URL(location.href).searchParams.get('date') === 'published')
    await page.getByRole('button', { name: 'Save', exact: true }).first().click()
    const [printed] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'PDF', exact: true }).click(),
    ])
    const pdf = readFileSync(await printed.path(), 'latin1').slice(0, 5)

    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByRole('button', { name: 'Memory', exact: true }).click()
    await page.getByRole('menuitemcheckbox', { name: /FB-DIMM/ }).click()
    await page.keyboard.press('Escape')
    await page.waitForFunction(() => new URL(location.href).searchParams.get('memory') === 'FB-DIMM')
    const fbDimm = await shown(page)
    await seeNow(page, 'published-compare', found)

    await page.getByRole('link', { name: 'Power and performance per watt over load' }).click()
    const curves = page.getByRole('table', { name: 'Published results over their loads' })
    await curves.waitFor()
    await page.getByRole('searchbox', { name: 'Find a published result' }).fill('Netra X4250 4 × 2 GiB')
    await page.waitForFunction(() => new URL(location.href).searchParams.get('q')?.startsWith('Netra'))
    const netra = await curves.getByRole('row', { name: /Netra X4250.*4 × 2 GiB/ }).innerText()
    await page.getByRole('button', { name: /Draw .*Netra X4250.*4 × 2 GiB/ }).press('Enter')
    await page.getByRole('img', { name: /published, specpower/ }).waitFor()
    await seeNow(page, 'published-scaling', found)

    await page.goto(`${url}/memory`)
    await page.getByRole('heading', { name: 'Published servers', exact: true }).waitFor()
    const perDimm = await page.getByText(/each FB-DIMM costs/).first().innerText()
    await page.getByRole('img', { name: /each FB-DIMM costs/ }).waitFor()
    const levels = await page.getByRole('table', { name: /by load level/ }).innerText()
    await seeNow(page, 'published-memory', found)

    await page.goto(`${url}/library/imported?text=netra`)
    const library = page.getByRole('table', { name: 'Imported results' })
    const rows = library.getByRole('row', { name: /Netra X4250/ })
    await rows.first().waitFor()
    const listed = await rows.count()
    const first = await library.getByRole('row', { name: /600 ssj_ops/ }).innerText()
    await seeNow(page, 'published-library', found)
    await rows.first().getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByRole('button', { name: 'Undo', exact: true }).waitFor()
    await page.waitForFunction((n) => document.querySelectorAll('main tbody tr').length === n, listed - 1)
    await page.getByRole('button', { name: 'Undo', exact: true }).click()
    await page.waitForFunction((n) => document.querySelectorAll('main tbody tr').length === n, listed)
    return { all, headline, years, pdf, fbDimm, netra, perDimm, levels, listed, first, ...found }
  }),
)
