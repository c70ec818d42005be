// Print a page as PDF and count what a printer would say of it. usage: node print.mjs ADDRESS FILE
import { report, withPage } from './browser.mjs'

const [address, file] = process.argv.slice(2)

report(() =>
  withPage({ timezoneId: 'UTC' }, async (page) => {
    await page.goto(address)
    await page.waitForLoadState('networkidle')
    await page.pdf({ path: file, preferCSSPageSize: true, printBackground: true })
    return { file }
  }),
)
