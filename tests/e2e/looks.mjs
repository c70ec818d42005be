// See pages in light, dark and narrow: a picture each, axe, and whether a page is wider than its screen.
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { axeSource, withPage } from './browser.mjs'

const LOOKS = [
  { name: 'light', options: { colorScheme: 'light' } },
  { name: 'dark', options: { colorScheme: 'dark' } },
  { name: 'narrow', options: { colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true } },
]

const check = (page) =>
  page.evaluate(async () => {
    const { violations } = await window.axe.run(document, { resultTypes: ['violations'] })
    return violations.map((one) => `${one.id}: ${one.help} (${one.nodes.map((node) => node.target).slice(0, 3).join('; ')})`)
  })

/** Visit every page (name -> path) in every look; pictures go into the folder. */
export async function inEveryLook(url, folder, all) {
  mkdirSync(folder, { recursive: true })
  const found = { pages: Object.keys(all), violations: {}, errors: [], foreign: [], overflow: [] }
  for (const look of LOOKS) {
    const seen = await withPage({ ...look.options, bypassCSP: true, reducedMotion: 'reduce' }, async (page) => {
      for (const [name, path] of Object.entries(all)) {
        await page.goto(url + path, { waitUntil: 'load' })
        await page.waitForSelector('main h1, main h2', { timeout: 15000 })
        await page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'), null, { timeout: 15000 })
        await page.waitForTimeout(700)
        const wide = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
        if (wide > 1) found.overflow.push(`${name} ${look.name}: ${wide} px`)
        await page.screenshot({ path: join(folder, `${name}-${look.name}.png`), fullPage: look.name !== 'narrow' })
        await page.evaluate(readFileSync(axeSource(), 'utf8'))
        const violations = await check(page)
        if (violations.length) found.violations[`${name} ${look.name}`] = violations
      }
      return {}
    })
    found.errors.push(...seen.errors)
    found.foreign.push(...seen.foreign)
  }
  return found
}
