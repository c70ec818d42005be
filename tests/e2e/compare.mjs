// Compare many configurations: search, facets, pins, baseline by a click, figures, matrix, details. usage: node compare.mjs URL FOLDER
import { report, withPage } from './browser.mjs'
import { nothingFound, seeNow } from './looks.mjs'

const [url, folder] = process.argv.slice(2)
const COMPARE = `${url}/compare?workload=openssl.rsa2048-sign&level=all+threads`
const shown = (page) => page.getByRole('status').filter({ hasText: /configuration/ }).innerText()
const headline = (page) => page.locator('main p').first().innerText()
const names = (page) => page.locator('tbody button[aria-expanded]').allInnerTexts()
const query = (page) => Object.fromEntries(new URL(page.url()).searchParams)

/** Wait until the address holds a parameter. */
const said = (page, name) => page.waitForFunction((wanted) => new URL(location.href).searchParams.has(wanted), name)

report(() =>
  withPage({ reducedMotion: 'reduce' }, async (page) => {
    const found = nothingFound(folder)
    await page.goto(COMPARE)
    await page.getByRole('table').first().waitFor()
    const first = { headline: await headline(page), shown: await shown(page), names: await names(page) }
    const figure = page.getByRole('img').first()
    first.figure = await figure.textContent()
    await seeNow(page, 'compare-many', found)

    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByRole('button', { name: 'Server' }).click()
    await page.getByRole('menuitemcheckbox', { name: /node-02/ }).click()
    await page.keyboard.press('Escape')
    await said(page, 'server')
    await page.getByRole('searchbox', { name: 'Search configurations' }).fill('rdimm')
    await said(page, 'q')
    const narrowed = { shown: await shown(page), names: await names(page), query: query(page) }

    await page.getByRole('button', { name: /^Pin node-02/ }).first().click()
    await said(page, 'pin')
    await page.getByRole('button', { name: /^Make node-02 .* the baseline$/ }).nth(1).click()
    await said(page, 'baseline')
    await page.waitForFunction(() => !document.querySelector('.opacity-60'))
    await page.getByRole('button', { name: 'Clear' }).click()
    await page.waitForFunction(() => !new URL(location.href).searchParams.has('q'))
    const base = { headline: await headline(page), query: query(page) }

    await page.getByRole('button', { name: 'Throughput and power' }).click()
    await page.getByRole('img', { name: /Pareto front/ }).waitFor()
    const trade = await page.getByRole('img', { name: /Pareto front/ }).getAttribute('aria-label')
    await seeNow(page, 'compare-trade', found)
    await page.getByRole('button', { name: 'Workloads', exact: true }).click()
    await page.getByRole('img', { name: /by workload/ }).waitFor()
    await page.getByRole('button', { name: 'By workload' }).click()
    await page.getByRole('columnheader', { name: /Geometric mean/ }).waitFor()
    const matrix = await page.getByRole('row').nth(1).innerText()
    await seeNow(page, 'compare-matrix', found)

    await page.reload()
    await page.getByRole('columnheader', { name: /Geometric mean/ }).waitFor()
    const again = query(page)
    await page.getByRole('button', { name: 'Figures' }).click()
    await page.getByRole('button', { name: /^Details of node-02/ }).first().click()
    await page.getByRole('heading', { name: /^Sources of uncertainty of/ }).waitFor()
    await seeNow(page, 'compare-details', found)
    await page.getByRole('link', { name: /Show its/ }).click()
    await page.locator('input[data-run]').first().waitFor()
    const runs = { count: await page.locator('input[data-run]').count(), query: query(page) }
    return { first, narrowed, base, trade, matrix, again, runs, ...found }
  }),
)
