// Print a page as PDF, and find names that would be cut on paper. usage: node print.mjs ADDRESS FILE
import { report, withPage } from './browser.mjs'

const [address, file] = process.argv.slice(2)
const SETTLED_MS = 600
const A4_PX = { width: 794, height: 1123 }

/** Texts that end in an ellipsis, or would. */
const cut = (page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('body *')]
      .filter((element) => getComputedStyle(element).textOverflow === 'ellipsis' && element.offsetParent)
      .filter((element) => element.scrollWidth > element.clientWidth + 1)
      .map((element) => element.textContent.trim()),
  )

report(() =>
  withPage({ timezoneId: 'UTC', viewport: A4_PX }, async (page) => {
    await page.goto(address)
    await page.waitForLoadState('networkidle')
    await page.emulateMedia({ media: 'print' })
    await page.waitForTimeout(SETTLED_MS)
    const names = await cut(page)
    await page.pdf({ path: file, preferCSSPageSize: true, printBackground: true, format: 'A4' })
    return { cut: names }
  }),
)
