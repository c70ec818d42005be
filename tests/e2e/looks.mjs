// See pages in light, dark and narrow: a picture each, axe, and whether a page is wider than its screen.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { axeSource, withPage } from './browser.mjs'

const SCREEN = { width: 1440, height: 900 }
const LOOKS = {
  light: { colorScheme: 'light', viewport: SCREEN },
  dark: { colorScheme: 'dark', viewport: SCREEN },
  narrow: { colorScheme: 'light', viewport: { width: 390, height: 844 }, hasTouch: true },
}

/** A whole tour sees pages as a small laptop shows them, too. */
const TOUR = { ...LOOKS, middle: { colorScheme: 'light', viewport: { width: 1024, height: 768 } } }

/** What looking finds, to begin with; pictures go into the folder. */
export const nothingFound = (folder) => ({ folder, violations: {}, overflow: [] })

const broken = (page) =>
  page.evaluate(async () => {
    // Of WCAG 2.2 axe excludes what is to be touched, unless asked.
    const rules = { 'target-size': { enabled: true } }
    const { violations } = await globalThis.axe.run(document, { resultTypes: ['violations'], rules })
    const examples = ({ nodes }) => nodes.map((node) => node.html).slice(0, 3).join('; ')
    return violations.map((violation) => `${violation.id}: ${violation.help} (${examples(violation)})`)
  })

async function see(page, name, report) {
  const settled = () => page.waitForFunction(() => !document.querySelector('[aria-busy="true"]'))
  await settled()
  await page.waitForTimeout(400)
  await settled()
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
  if (wide > 1) report.overflow.push(`${name}: ${wide} px`)
  await page.screenshot({ path: join(report.folder, `${name}.png`), fullPage: true })
  await page.evaluate(readFileSync(axeSource(), 'utf8'))
  const violations = await broken(page)
  if (violations.length) report.violations[name] = violations
}

/** See what a page shows at the moment in every look. */
export async function seeNow(page, name, report) {
  for (const [look, { colorScheme, viewport }] of Object.entries(LOOKS)) {
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
    await see(page, `${name}-${look}`, report)
  }
  await page.setViewportSize(SCREEN)
  await page.emulateMedia({ colorScheme: 'light' })
}

/** Open every page (name -> path) in every look, or in those named, each look in a browser of its own. */
export async function seeAll(url, folder, all, looks = Object.keys(TOUR)) {
  const report = { ...nothingFound(folder), pages: Object.keys(all), errors: [], foreign: [] }
  const visit = ([look, options]) =>
    withPage({ ...options, reducedMotion: 'reduce' }, async (page) => {
      for (const [name, path] of Object.entries(all)) {
        await page.goto(url + path)
        await page.waitForSelector('main h1, main h2')
        await see(page, `${name}-${look}`, report)
      }
    })
  for (const seen of await Promise.all(looks.map((look) => visit([look, TOUR[look]])))) {
    report.errors.push(...seen.errors)
    report.foreign.push(...seen.foreign)
  }
  return report
}
