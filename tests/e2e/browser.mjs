// Start the system's Chromium, without any request of its own to the outside.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const require = createRequire(new URL('../../frontend/package.json', import.meta.url))
const { chromium } = require('playwright-core')
export const axeSource = () => require.resolve('axe-core/axe.min.js')

// What a busy machine may take for anything; nothing waits longer than it must.
const PATIENCE_MS = 60_000

const FLAGS = [
  '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync',
]

/** Open a page, hand it to `use`, and close everything; page errors and foreign requests are collected. */
export async function withPage(options, use) {
  const profile = mkdtempSync(join(tmpdir(), 'wattmark-e2e-'))
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    headless: true,
    args: FLAGS,
    acceptDownloads: true,
    viewport: { width: 1440, height: 900 },
    ...options,
  })
  context.setDefaultTimeout(PATIENCE_MS)
  const errors = []
  const foreign = []
  const page = context.pages()[0] ?? (await context.newPage())
  page.on('pageerror', (error) => errors.push(String(error)))
  page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
  page.on('response', async (response) => {
    if (response.status() < 500) return
    const body = await response.text().catch(() => '')
    errors.push(`${response.status()} ${response.url()} ${body.slice(0, 300)}`)
  })
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith('http') && url.hostname !== '127.0.0.1') foreign.push(request.url())
  })
  try {
    return { ...(await use(page, context)), errors, foreign }
  } finally {
    await context.close()
    rmSync(profile, { recursive: true, force: true })
  }
}

/** Read JSON of the service. */
export const getJson = async (address) => (await fetch(address)).json()

/** Go to a page by its two keys. */
export async function goByKeys(page, key) {
  await page.keyboard.press('g')
  await page.keyboard.press(key)
}

/** Click what gives a file; gives its name and text. */
export async function take(page, target) {
  const [download] = await Promise.all([page.waitForEvent('download'), target.click()])
  return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') }
}

/** Run a script's main and print its report as one line of JSON. */
export async function report(main) {
  try {
    console.log(JSON.stringify(await main()))
  } catch (error) {
    console.error(error)
    process.exit(1)
  }
}
