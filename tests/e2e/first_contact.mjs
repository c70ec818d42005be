// From an empty data folder to a first ranked result with a meter, a BMC and a server over SSH; every click is counted, typing is not.
// usage: node first_contact.mjs URL FOLDER DEVICES(JSON: token, meter, bmc, ssh, authorized)
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { report, withPage } from './browser.mjs'
import { nothingFound, seeNow } from './looks.mjs'

const [url, folder, text] = process.argv.slice(2)
const { token, meter, bmc, ssh, authorized } = JSON.parse(text)
const seen = { ...nothingFound(folder), clicks: [], seconds: {} }
const begun = Date.now()

async function click(target) {
  await target.waitFor()
  seen.clicks.push((await target.innerText()).split('\n')[0])
  await target.click()
}
const button = (page, name) => page.getByRole('button', { name, exact: true })
const link = (page, name) => page.getByRole('link', { name, exact: true }).first()
async function type(page, fields) {
  for (const [label, value] of Object.entries(fields)) await page.getByLabel(label, { exact: true }).first().fill(value)
}

async function signIn(page) {
  await page.goto(url)
  await type(page, { Token: token })
  await page.getByLabel('Token', { exact: true }).press('Enter')
}

async function connectMeter(page) {
  await click(page.locator('main').getByRole('link', { name: 'Connect a meter' }))
  await page.getByRole('searchbox').fill('em24')
  await click(page.getByRole('button', { name: /EM24-DIN E1/ }))
  await type(page, { Host: meter.host, Port: meter.port })
  await seeNow(page, 'contact-meter', seen)
  await click(button(page, 'Try, save and add a server'))
}

async function addServer(page) {
  await page.getByRole('heading', { name: 'Add a server' }).waitFor()
  await type(page, { Title: 'Test server' })
  await click(page.getByRole('button', { name: 'SSH', exact: true }))
  await type(page, { Host: ssh.host, User: ssh.user, Port: ssh.port })
  await click(button(page, 'Show its host key'))
  await button(page, 'Accept this key').waitFor()
  seen.fingerprint = await page.locator('code', { hasText: 'SHA256:' }).innerText()
  await seeNow(page, 'contact-host-key', seen)
  await click(button(page, 'Accept this key'))
  // What a person does at the server: paste the line.
  appendFileSync(authorized, `${await page.locator('code', { hasText: 'no-pty' }).innerText()}\n`)
  await click(button(page, 'Test'))
  await page.getByText(/^Logged in/).waitFor()
  await seeNow(page, 'contact-logged-in', seen)
  await click(button(page, 'Read from the server'))
  await page.waitForFunction(() => [...document.querySelectorAll('input')].some((input) => input.value.startsWith('6.')))
  seen.kernel = await page.getByLabel('Kernel').inputValue()
  await seeNow(page, 'contact-server', seen)
  await click(button(page, 'Save and build a plan'))
}

async function connectBmc(page) {
  await page.getByRole('heading', { name: 'New plan' }).waitFor()
  await click(link(page, 'Meters'))
  await click(button(page, 'Connect a meter'))
  await page.getByRole('searchbox').fill('ipmi')
  await click(page.getByRole('button', { name: /IPMI/ }).first())
  await click(page.locator('summary', { hasText: 'Paste an address' }))
  await type(page, { Address: `ipmi://${bmc.host}:${bmc.port}?privilege=ADMINISTRATOR` })
  await click(button(page, 'Fill in'))
  await type(page, { User: bmc.user, Password: bmc.password })
  await click(button(page, 'Try'))
  await page.getByRole('row', { name: /Power/i }).first().waitFor()
  await seeNow(page, 'contact-bmc', seen)
  await click(page.getByRole('combobox', { name: 'Server' }))
  await click(page.getByRole('option', { name: 'Test server' }))
  await click(button(page, 'Save'))
  await page.getByRole('row', { name: /bmc/ }).getByText(/\d\sW/).first().waitFor()
  await seeNow(page, 'contact-meters', seen)
  await click(page.getByRole('link', { name: 'Next step: Build a plan' }))
}

async function measure(page) {
  await page.getByRole('heading', { name: 'New plan' }).waitFor()
  await type(page, { Repeats: '2', 'Idle before': '5', Measure: '30', Settle: '5' })
  await page.getByText(/^2 runs/).first().waitFor()
  await seeNow(page, 'contact-plan', seen)
  await click(button(page, 'Save and start'))
  await click(page.getByRole('dialog').getByRole('button', { name: /^Start / }))
  await page.waitForURL('**/campaign')
  seen.seconds.person = (Date.now() - begun) / 1000
  // The person's browser is on another machine than the server; here it is not, and would disturb the runs.
  await page.goto('about:blank')
  for (let state = ''; state !== 'complete'; await new Promise((later) => setTimeout(later, 2000))) {
    state = (await (await page.request.get(`${url}/api/campaign`)).json()).state
    if (['failed', 'aborted'].includes(state) || Date.now() - begun > 300_000) throw new Error(`the campaign is ${state}`)
  }
  await page.goto(`${url}/campaign`)
  const strip = page.locator('main').getByRole('region', { name: 'Campaigns' })
  await strip.getByText('Complete', { exact: true }).waitFor()
  await seeNow(page, 'contact-complete', seen)
  // One configuration is compared with nothing; the next step is to look at its runs.
  await click(strip.getByRole('link', { name: 'Show the runs' }))
  await page.getByRole('table').first().waitFor()
  seen.seconds.all = (Date.now() - begun) / 1000
  await seeNow(page, 'contact-runs', seen)
}

report(() =>
  withPage({}, async (page) => {
    try {
      for (const act of [signIn, connectMeter, addServer, connectBmc, measure]) await act(page)
      seen.bench = await page.evaluate(async () => (await (await fetch('/api/bench/entries')).json()).bench)
    } catch (error) {
      console.error(JSON.stringify(seen.clicks), page.url())
      await page.screenshot({ path: join(folder, 'failed.png'), fullPage: true })
      throw error
    }
    seen.runs = await page.evaluate(async () => {
      const read = async (path) => (await fetch(path)).json()
      return Promise.all((await read('/api/runs')).results.map((run) => read(`/api/runs/${run.run_id}`)))
    })
    return seen
  }),
)
