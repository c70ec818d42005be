// The page that the demo prints, as a person opens it: how long until its recorded example has answered. usage: node example.mjs URL
import { report, withPage } from './browser.mjs'

const [url] = process.argv.slice(2)

report(() =>
  withPage({}, async (page) => {
    const begin = Date.now()
    await page.goto(url)
    const statement = page.locator('main p').filter({ hasText: /^Simulated power/ }).first()
    await statement.waitFor()
    const answered_s = (Date.now() - begin) / 1000
    await page.getByRole('table').first().waitFor()
    return { answered_s, statement: await statement.innerText(), table: await page.locator('main').innerText() }
  }),
)
