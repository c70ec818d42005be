// Sign in, find a device, connect a BMC, rename a meter and a server, and let two tabs edit the same thing.
// usage: node editors.mjs URL FOLDER TOKEN FREE_METER(host:port) BMC(JSON: host, port, user, password)
import { join } from 'node:path'
import { report, withPage } from './browser.mjs'
import { nothingFound, seeNow } from './looks.mjs'

const [url, folder, token, free, bmcText] = process.argv.slice(2)
const bmc = JSON.parse(bmcText)
const seen = nothingFound(folder)
const button = (page, name) => page.getByRole('button', { name, exact: true })
const row = (page, name) => page.getByRole('row', { name: new RegExp(name) })
const field = (page, label) => page.getByLabel(label, { exact: true })
const entries = (page) => page.evaluate(async () => (await (await fetch('/api/bench/entries')).json()).bench)
const meterNamed = async (page, id) => (await entries(page)).meters.find((meter) => meter.id === id)

async function signIn(page) {
  await page.goto(`${url}/meters`)
  await field(page, 'Token').fill(`${token}x`)
  await field(page, 'Token').press('Enter')
  seen.wrongToken = await page.getByRole('alert').innerText()
  await field(page, 'Token').fill(token)
  await field(page, 'Token').press('Enter')
  await page.waitForURL(`${url}/meters`)
  seen.tokenKept = await page.evaluate((secret) => JSON.stringify({ ...localStorage, ...sessionStorage }).includes(secret), token)
}

async function scan(page) {
  await button(page, 'Find devices').click()
  await field(page, 'Host or host:port').fill(free)
  await button(page, 'Start the search').click()
  const devices = page.getByRole('list', { name: 'Devices found' })
  await devices.getByText(free.split(':')[1]).first().waitFor({ timeout: 30000 })
  seen.found = await devices.innerText()
  await seeNow(page, 'scan', seen)
  await devices.getByRole('button', { name: 'Use as eastron.sdm230' }).click()
  seen.takenPort = await field(page, 'Port').inputValue()
  await field(page, 'Identifier').fill('found')
  await button(page, 'Save').click()
  await row(page, 'found').waitFor()
}

async function connectBmc(page) {
  await button(page, 'Connect a meter').click()
  await page.getByRole('searchbox').fill('ipmi')
  await page.getByRole('button', { name: /IPMI/ }).first().click()
  await field(page, 'Host').fill(bmc.host)
  await field(page, 'Port').fill(bmc.port)
  await field(page, 'User').fill(bmc.user)
  await field(page, 'Password').fill('wrong')
  await button(page, 'Try').click()
  seen.wrongPassword = await page.getByRole('alert').first().innerText({ timeout: 40000 })
  await field(page, 'Password').fill(bmc.password)
  await button(page, 'Try').click()
  await page.getByRole('row', { name: /Power/i }).first().waitFor({ timeout: 40000 })
  await field(page, 'Identifier').fill('ilo')
  await button(page, 'Save').click()
  seen.noServer = await page.getByText('Fill in this field.').first().innerText()
  await page.getByRole('combobox', { name: 'Server' }).click()
  await page.getByRole('option', { name: 'Desk' }).click()
  await seeNow(page, 'bmc', seen)
  await button(page, 'Save').click()
  await row(page, 'ilo').getByText(/\d\sW/).first().waitFor({ timeout: 30000 })
  seen.bmcs = (await entries(page)).bmcs
  await page.goto(`${url}/meters?edit=is:ilo`)
  await field(page, 'Password').waitFor()
  seen.passwordShown = await field(page, 'Password').inputValue()
}

async function rename(page) {
  await page.goto(`${url}/meters?edit=is:wall`)
  await field(page, 'Identifier').fill('outlet')
  await button(page, 'Save').click()
  await row(page, 'outlet').getByText(/\d\sW/).first().waitFor()
  seen.outlet = await meterNamed(page, 'outlet')
  await page.goto(`${url}/servers/spare?edit=server`)
  await field(page, 'Identifier').fill('rack-2')
  await button(page, 'Save').click()
  await page.waitForURL('**/servers/rack-2')
  await page.goto(`${url}/servers/desk?edit=server`)
  await field(page, 'Identifier').fill('bench-1')
  seen.foretold = await page.getByText('will be updated').innerText()
  await seeNow(page, 'rename', seen)
  await button(page, 'Save').click()
  await page.waitForURL('**/servers/bench-1')
  seen.followed = await page.getByRole('status').filter({ hasText: 'now bench-1' }).innerText()
  seen.renamed = await entries(page)
  await Promise.all([
    page.waitForResponse((answer) => answer.url().endsWith('/api/bench/undo') && answer.ok()),
    button(page, 'Undo').last().click(),
  ])
  seen.takenBack = await entries(page)
}

/** Two tabs open the same meter; the second to save is told, and keeps what was typed. */
async function collide(page, context) {
  const other = await context.newPage()
  for (const tab of [page, other]) {
    await tab.goto(`${url}/meters?edit=is:outlet`)
    await field(tab, 'Serial number').waitFor()
  }
  await field(page, 'Serial number').fill('mine')
  await field(other, 'Serial number').fill('theirs')
  await button(other, 'Save').click()
  await row(other, 'outlet').waitFor()
  await button(page, 'Save').click()
  await page.getByText('The bench was changed on another page').waitFor()
  seen.conflict = await page.getByRole('alert').innerText()
  seen.stillTyped = await field(page, 'Serial number').inputValue()
  seen.theirs = (await meterNamed(page, 'outlet')).serial
  await seeNow(page, 'conflict', seen)
  await button(page, 'Overwrite with mine').click()
  await row(page, 'outlet').waitFor()
  seen.mine = (await meterNamed(page, 'outlet')).serial
  await other.close()
}

report(() =>
  withPage({}, async (page, context) => {
    try {
      for (const act of [signIn, scan, connectBmc, rename, collide]) await act(page, context)
    } catch (error) {
      await page.screenshot({ path: join(folder, 'failed.png'), fullPage: true })
      throw error
    }
    return seen
  }),
)
