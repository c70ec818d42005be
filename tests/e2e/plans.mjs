// Build a plan, mend it, preview, save, start, watch, stop, copy, rename, delete and bring back; see every look.
// usage: node plans.mjs URL FOLDER
import { getJson, report, withPage } from './browser.mjs'
import { nothingFound, seeNow } from './looks.mjs'

const [url, folder] = process.argv.slice(2)
const get = (path) => getJson(url + path)
const planned = async (name) => (await get('/api/bench/entries')).bench.plans.find((plan) => plan.name === name) ?? null

const preview = (page) => page.getByRole('region', { name: 'Preview', exact: true })
const counted = (page, text) => preview(page).getByText(text).waitFor()
const main = (page) => page.locator('main')

/** From the page of campaigns to a form that says what is measured; by keys alone. */
async function fill(page, seen) {
  await page.goto(`${url}/campaign`)
  await page.getByRole('link', { name: 'Build a plan' }).press('Enter')
  await page.getByLabel('Name', { exact: true }).fill('two words')
  // A new plan begins with every configuration that a meter measures and a usual workload.
  for (const id of ['fbdimm-4', 'rdimm-2', 'rdimm-8']) await page.getByLabel(id).press('Space')
  await page.getByLabel(/^openssl.rsa2048-sign/).press('Space')
  await page.getByLabel('Find a workload').fill('rsa 1024 sign')
  await page.getByLabel(/^openssl.rsa1024-sign/).press('Space')
  await page.getByText('allowed:').waitFor()
  seen.wrongName = await page.getByLabel('Name', { exact: true }).evaluate((field) => field.parentElement.innerText)
  seen.withheld = await preview(page).innerText()
  await page.getByLabel('Name', { exact: true }).fill('quick')
  await page.getByLabel('Repeats', { exact: true }).fill('1')
  await page.getByLabel('Measure', { exact: true }).fill('20 s')
  await page.getByLabel('Settle', { exact: true }).fill('1')
  await page.getByLabel('Idle before').fill('1')
  await counted(page, /2 runs, .*50\s/)
  // Seven counts of the sweep and all CPUs, which may be one of them, for two configurations.
  await page.getByRole('button', { name: 'Load levels', exact: true }).click()
  await counted(page, /1[46] runs/)
  seen.loads = await page.getByText(/openssl.rsa1024-sign: each level of its sweep/).innerText()
  await page.getByRole('button', { name: 'Full load', exact: true }).click()
  await counted(page, /2 runs, .*50\s/)
  const expected = page.getByRole('region', { name: 'Expected ±' })
  await expected.getByText(/the plan has 1/).waitFor()
  await page.getByLabel('Expected power [W]').fill('250')
  await expected.getByText(/at about 250\sW/).waitFor()
  seen.expected = await expected.innerText()
  await page.getByLabel('Expected power [W]').fill('')
}

/** A reload keeps everything; leaving asks. */
async function keep(page, seen) {
  await page.reload()
  await page.getByText('Unsaved changes from this tab were restored.').waitFor()
  await counted(page, /2 runs/)
  seen.kept = await page.getByLabel('Measure', { exact: true }).inputValue()
  await page.getByRole('link', { name: 'Runs' }).first().click()
  await page.getByRole('dialog').getByText('Leave without saving?').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Stay' }).click()
  seen.stayed = new URL(page.url()).pathname
  seen.before = await planned('quick')
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Show as YAML' }).click()
  seen.diff = await page.getByRole('dialog').locator('pre').innerText()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await page.locator('form details').evaluateAll((all) => all.forEach((details) => (details.open = true)))
  await seeNow(page, 'new', seen)
}

/** Save and start in one go, watch the first run, stop. */
async function run(page, seen) {
  await page.getByRole('button', { name: 'Save and start' }).click()
  await page.waitForURL('**/plans/quick?start=1')
  seen.saved = await planned('quick')
  await page.getByRole('dialog').getByRole('button', { name: 'Start quick' }).click()
  await page.waitForURL('**/campaign')
  const strip = main(page).getByRole('region', { name: 'Campaigns' })
  await strip.getByText('Measure').waitFor()
  await strip.getByText(/signs/).waitFor()
  seen.strip = await strip.innerText()
  await seeNow(page, 'running', seen)
  await strip.getByRole('button', { name: 'Stop' }).click()
  await strip.getByText('Stopped', { exact: true }).waitFor()
  seen.campaign = await get('/api/campaign')
}

/** Change a saved plan while somebody else changes it too. */
async function collide(page, seen) {
  await page.getByRole('link', { name: 'quick', exact: true }).click()
  await page.getByLabel('Title').fill('Mine')
  const { version, bench } = await get('/api/bench/entries')
  const theirs = { ...bench.plans.find((plan) => plan.name === 'quick'), repeats: 2 }
  const change = (path, body, seenVersion) =>
    fetch(url + path, {
      method: path.endsWith('bench') ? 'PATCH' : 'PUT',
      headers: { 'If-Match': seenVersion, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }).then((answer) => answer.json())
  // A change elsewhere is no reason to ask anybody.
  const { version: after } = await change('/api/bench', { lab: 'Another lab' }, version)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await main(page).getByText('Saved', { exact: true }).waitFor()
  seen.merged = [(await planned('quick')).title, (await get('/api/bench')).lab, after !== version]
  await page.getByLabel('Title').fill('Mine again')
  const { version: now } = await get('/api/bench/entries')
  await change('/api/bench/plans/quick', theirs, now)
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('This plan was changed by someone else').waitFor()
  await page.getByRole('button', { name: 'Show my changes' }).click()
  seen.conflict = await page.getByRole('dialog').locator('pre').innerText()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('button', { name: 'Load the other version' }).click()
  seen.theirs = await page.getByLabel('Repeats', { exact: true }).inputValue()
}

/** Copy, rename and delete; the delete is taken back. */
async function tidy(page, seen) {
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).click()
  await page.waitForURL('**/plans/new?from=quick')
  await page.getByLabel('Name', { exact: true }).fill('dimms')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Another plan already has this name.').waitFor()
  await page.getByLabel('Name', { exact: true }).fill('slow')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.waitForURL('**/plans/slow')
  await page.getByLabel('Name', { exact: true }).fill('slower')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.waitForURL('**/plans/slower')
  seen.renamed = [await planned('slow'), (await planned('slower')).repeats]
  await page.getByRole('button', { name: 'More' }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.waitForURL('**/campaign')
  seen.deleted = await planned('slower')
  await page.getByRole('status').getByRole('button', { name: 'Undo' }).last().click()
  await page.waitForURL('**/plans/slower')
  await page.getByLabel('Repeats', { exact: true }).waitFor()
  seen.back = (await planned('slower')).repeats
}

report(() =>
  withPage({}, async (page) => {
    const seen = nothingFound(folder)
    page.on('dialog', (dialog) => dialog.accept())
    for (const act of [fill, keep, run, collide, tidy]) await act(page, seen)
    return seen
  }),
)
