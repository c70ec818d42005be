// The first visit of an appliance that measures, and whether its pages can be used by everybody.
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { axeSource } from '../../e2e/browser.mjs'

/** Watch paints, shifts and blocking from the beginning of a page. */
export const observe = () => {
  window.seen = { lcp: 0, cls: 0, tbt: 0 }
  const watch = (type, act) =>
    new PerformanceObserver((list) => list.getEntries().forEach(act)).observe({ type, buffered: true })
  watch('largest-contentful-paint', (entry) => (window.seen.lcp = entry.startTime))
  watch('layout-shift', (entry) => (window.seen.cls += entry.hadRecentInput ? 0 : entry.value))
  watch('longtask', (entry) => (window.seen.tbt += Math.max(0, entry.duration - 50)))
}

/** Count what axe-core objects to on the page as it is. */
export async function violations(page) {
  await page.evaluate(readFileSync(axeSource(), 'utf8'))
  return page.evaluate(async () => (await globalThis.axe.run(document)).violations.length)
}

/** What a first visit loads and how soon it paints: the figures that Lighthouse takes from the same interfaces. */
export async function firstVisit({ page, url, add }) {
  const scripts = []
  page.on('response', (answer) => /\/assets\/.*\.js$/.test(answer.url()) && scripts.push(answer.body()))
  await page.addInitScript(observe)
  await page.goto(url)
  await page.locator('.u-over').first().waitFor()
  await page.waitForTimeout(3000)
  const seen = await page.evaluate(() => ({
    ...window.seen,
    fcp: performance.getEntriesByName('first-contentful-paint')[0].startTime,
    requests: performance.getEntriesByType('resource').length,
  }))
  const bytes = (await Promise.all(scripts)).reduce((sum, script) => sum + gzipSync(script, { level: 9 }).length, 0)
  add('first visit: script, gzip', bytes / 1000, 'kB', 120)
  add('first visit: requests', seen.requests, '')
  add('first visit: first contentful paint', seen.fcp, 'ms')
  add('first visit: largest contentful paint', seen.lcp, 'ms')
  add('first visit: cumulative layout shift x 1000', seen.cls * 1000, '')
  add('first visit: total blocking time', seen.tbt, 'ms')
  add('first visit: objections of axe-core', await violations(page), '', 0)
}
