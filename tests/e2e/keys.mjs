// Compare and Run by the keyboard alone: order and marks of the focus, dialogs, menus, tabs, traces. usage: node keys.mjs URL
import { goByKeys, report, withPage } from './browser.mjs'

const [url] = process.argv.slice(2)
const COMPARE = `${url}/compare?workload=db.read&level=8+clients`

/** What has the focus: its name, whether it is marked, and whether it stands after what had the focus before. */
const focused = (page) =>
  page.evaluate(() => {
    const [now, before] = [document.activeElement, globalThis.focusedBefore ?? null]
    globalThis.focusedBefore = now
    const style = getComputedStyle(now)
    return {
      name: (now.getAttribute('aria-label') ?? now.innerText ?? now.value ?? '').split('\n')[0],
      marked: now.matches(':focus-visible') && (style.outlineStyle !== 'none' || style.boxShadow !== 'none'),
      after: !before || Boolean(before.compareDocumentPosition(now) & Node.DOCUMENT_POSITION_FOLLOWING),
      page: now === document.body,
    }
  })

/** Go through a page with Tab until the focus leaves it or begins again. */
async function walk(page) {
  const stops = []
  for (let i = 0; i < 150; i++) {
    await page.keyboard.press('Tab')
    const stop = await focused(page)
    if (stop.page || (stops.length && stop.name === stops[0].name)) break
    stops.push(stop)
  }
  return {
    count: stops.length,
    names: stops.map((stop) => stop.name),
    unmarked: stops.filter((stop) => !stop.marked).map((stop) => stop.name),
    unordered: stops.filter((stop) => !stop.after).map((stop) => stop.name),
  }
}

const activeName = (page) => page.evaluate(() => document.activeElement.getAttribute('aria-label') ?? document.activeElement.innerText)

/** The help: the focus stays within, Escape gives it back. */
async function help(page) {
  const search = page.getByRole('button', { name: 'Search' })
  await search.focus()
  const before = await activeName(page)
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  const within = []
  for (let i = 0; i < 4; i++) {
    await page.keyboard.press('Tab')
    within.push(await dialog.evaluate((box) => box.contains(document.activeElement)))
  }
  const still = await dialog.evaluate((box) => parseFloat(getComputedStyle(box).animationDuration) || 0)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'hidden' })
  return { within, still, returned: (await activeName(page)) === before }
}

/** A menu opens, moves by arrows, and gives the focus back. */
async function menu(page) {
  await page.getByRole('button', { name: 'Export' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menu').waitFor()
  await page.keyboard.press('ArrowDown')
  const item = await page.evaluate(() => document.activeElement.getAttribute('role'))
  await page.keyboard.press('Escape')
  await page.getByRole('menu').waitFor({ state: 'hidden' })
  return { item, returned: (await activeName(page)).includes('Export') }
}

/** From the list into a run: a number opens its budget, arrows change the tab, + zooms into the traces. */
async function run(page) {
  await goByKeys(page, 'r')
  await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor()
  await page.locator('tbody a').first().press('Enter')
  await page.waitForURL(/\/runs\/r\d/)
  await page.reload()
  await page.getByRole('group', { name: /zoom/i }).waitFor()
  const walked = await walk(page)
  await page.getByRole('button', { name: /±/ }).first().press('Enter')
  await page.getByRole('cell', { name: /Specification/ }).first().waitFor()
  const opened = await page.getByRole('tab', { selected: true }).innerText()
  await page.getByRole('tab', { selected: true }).press('ArrowRight')
  await page.getByRole('tab', { name: 'Power budget', selected: true }).waitFor()
  await page.getByRole('group', { name: /zoom/i }).press('+')
  await page.getByRole('button', { name: 'Whole run' }).waitFor()
  return { walked, opened }
}

report(() =>
  withPage({ reducedMotion: 'reduce' }, async (page) => {
    await page.goto(COMPARE)
    await page.getByRole('table').first().waitFor()
    const compare = await walk(page)
    await page.reload()
    await page.getByRole('table').first().waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    const skipped = await page.evaluate(() => document.activeElement.id)
    return { compare, skipped, help: await help(page), menu: await menu(page), run: await run(page) }
  }),
)
