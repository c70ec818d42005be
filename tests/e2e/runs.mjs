// Tag, find, delete and bring back runs by keys, take samples, measure a span, overlay runs, see a sweep, export. usage: node runs.mjs URL
import { getJson, report, take, withPage } from './browser.mjs'

const [url] = process.argv.slice(2)
const shown = (page) => page.locator('input[data-run]').count()

/** Drag a span with Shift, then type its edges; gives its rows, what was copied, and the legend's switch. */
async function measured(page) {
  const lane = page.locator('.lane .u-over').first()
  await lane.scrollIntoViewIfNeeded()
  const { x, y, width } = await lane.boundingBox()
  await page.keyboard.down('Shift')
  await page.mouse.move(x + width * 0.4, y + 40)
  await page.mouse.down()
  await page.mouse.move(x + width * 0.5, y + 40)
  await page.mouse.move(x + width * 0.6, y + 40)
  await page.mouse.up()
  await page.keyboard.up('Shift')
  const panel = page.getByRole('region', { name: 'Measured span' })
  await panel.locator('tbody tr').first().waitFor()
  const dragged = page.url()
  // Counted from the first reading, 5 s before the window: second 10 to 20 of it.
  for (const [label, second, address] of [[/^From/, '15', /span=\d+10\.000~/], [/^To/, '25', /~\d+20\.000/]]) {
    await panel.getByLabel(label).fill(second)
    await page.keyboard.press('Enter')
    await page.waitForURL(address)
  }
  await panel.locator('td').filter({ hasText: 'kJ' }).waitFor()
  await page.waitForFunction(() => !document.querySelector('section[aria-busy="true"]'))
  const cells = await panel.locator('tbody tr').first().locator('th, td').allInnerTexts()
  const entry = page.getByRole('group', { name: /^Series/ }).getByRole('button').first()
  await entry.click()
  await page.waitForURL(/hide=wall/)
  const pressed = await entry.getAttribute('aria-pressed')
  return { dragged, cells, pressed }
}

report(() =>
  withPage({}, async (page) => {
    await page.goto(`${url}/runs?sort=created`)
    await page.locator('input[data-run]').first().focus()
    const all = await shown(page)
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await page.getByLabel('Add tag').first().fill('winter')
    await page.keyboard.press('Enter')
    await page.getByText('Tag winter added to 2 runs').waitFor()

    await page.getByRole('combobox', { name: 'Tag', exact: true }).click()
    await page.getByRole('option', { name: /winter/ }).click()
    await page.waitForFunction(() => document.querySelectorAll('input[data-run]').length === 2)
    const address = page.url()
    await page.reload()
    await page.waitForFunction(() => document.querySelectorAll('input[data-run]').length === 2)

    await page.locator('input[data-run]').first().focus()
    await page.keyboard.press('Delete')
    await page.getByText('1 run moved to the trash').waitFor()
    await page.waitForFunction(() => document.querySelectorAll('input[data-run]').length === 1)
    const trashed = await getJson(`${url}/api/trash`)
    await page.keyboard.press('Control+z')
    await page.getByText('1 run restored').waitFor()
    await page.waitForFunction(() => document.querySelectorAll('input[data-run]').length === 2)

    await page.locator('tbody a').first().click()
    await page.waitForURL(/\/runs\/[^?]+$/)
    await page.getByRole('textbox', { name: 'Note' }).fill('Fan 3 was loud.')
    await page.getByRole('button', { name: 'Save note' }).click()
    await page.getByText('Note saved').waitFor()
    await page.getByRole('button', { name: 'Samples' }).click()
    const { text: samples } = await take(page, page.getByRole('menuitem', { name: 'Whole run, CSV' }))

    const span = await measured(page)
    await page.goto(`${url}/runs?sort=created`)
    await page.locator('input[data-run]').first().focus()
    await page.keyboard.press('Space')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Space')
    await page.getByRole('link', { name: 'Overlay selected' }).click()
    await page.locator('.lane').nth(2).waitFor()
    const lanes = await page.locator('.lane').evaluateAll((all) => all.map((lane) => lane.getAttribute('aria-label')))
    const overlay = { address: page.url(), lanes }

    await page.goto(`${url}/scaling?workload=db.read&sweep=throughput`)
    const sweep = await page.getByRole('img', { name: /by load level/ }).textContent()
    await page.goto(`${url}/export?table=run`)
    const { text: exported } = await take(page, page.getByRole('link', { name: 'CSV' }))
    const rows = samples.trim().split('\r\n').length - 1
    return { all, address, trashed: trashed.runs.length, samples: samples.slice(0, 200), sample_rows: rows, span, overlay, sweep, exported }
  }),
)
