// Who is told, on the page of the alarms in every look: the state of each entry, and what its test says.
// usage: node notices.mjs URL FOLDER ENTRY...      ENTRY: entries to test, by their names
import { report, withPage } from './browser.mjs'
import { nothingFound, seeNow } from './looks.mjs'

const [url, folder, ...entries] = process.argv.slice(2)

report(() =>
  withPage({ reducedMotion: 'reduce' }, async (page) => {
    const seen = nothingFound(folder)
    await page.goto(`${url}/alarms`)
    const told = page.getByRole('region', { name: 'Who is told' })
    await told.getByText(/Tells of|Nobody is told/).first().waitFor()
    seen.before = await told.innerText()
    seen.answers = {}
    for (const name of entries) {
      const entry = told.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) })
      await entry.getByRole('button', { name: `Test ${name}: send one message` }).click()
      await entry.getByText(/took the message|answers with status/).first().waitFor()
      seen.answers[name] = await entry.innerText()
    }
    await seeNow(page, 'notices', seen)
    return seen
  }),
)
