// Walk every page and every file on which a certificate's texts stand, and see whether one of them came alive.
// usage: node hostile_certificate.mjs URL FOLDER
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { report, withPage } from './browser.mjs'

const [url, folder] = process.argv.slice(2)
const PAGES = [
  '/calibration', '/calibration/certificates/CAL-1', '/runs', '/runs/r1', '/compare', '/memory', '/meters', '/export',
  '/archives', '/alarms', '/servers',
]
/** Pages on which the texts of the certificate certainly stand. */
const SHOWING = ['/calibration', '/calibration/certificates/CAL-1']
const FILES = {
  'report.html': '/api/export/report.html',
  'results.html': '/api/export/results.html',
  'run.html': '/api/export/run.html?run_id=r1',
  'compare.svg': '/api/export/figure/compare.svg?workload=rsa&level=1%20process',
  'results.svg': '/api/export/figure/results.svg',
  'certificate.html': '/api/certificates/CAL-1/file',
}

/** Give what a page shows of the attack. */
const look = (page) =>
  page.evaluate(() => ({
    ran: window.ran ?? null,
    elements: document.querySelectorAll('[data-attack], [onerror], [onload], a[href^="javascript:"]').length,
    shows: (document.body?.innerText ?? document.documentElement.textContent ?? '').includes('window.ran'),
  }))

report(() =>
  withPage({}, async (page) => {
    const ran = [], elements = [], showed = [], files = []
    page.on('dialog', (dialog) => dialog.dismiss())
    const note = async (name) => {
      const seen = await look(page)
      if (seen.ran) ran.push(`${name}: ${seen.ran}`)
      if (seen.elements) elements.push(`${name}: ${seen.elements}`)
      if (seen.shows) showed.push(name)
    }
    for (const path of PAGES) {
      await page.goto(url + path)
      await page.getByRole('heading', { level: 1 }).first().waitFor()
      await page.waitForLoadState('networkidle', { timeout: 5000 }).catch(() => {})
      for (const summary of await page.locator('summary:visible').all()) await summary.click().catch(() => {})
      if (SHOWING.includes(path)) await page.getByText('window.ran').first().waitFor()
      await note(path)
    }
    mkdirSync(folder, { recursive: true })
    for (const [name, path] of Object.entries(FILES)) {
      const answer = await fetch(url + path)
      if (!answer.ok) continue
      const file = join(folder, name)
      writeFileSync(file, Buffer.from(await answer.arrayBuffer()))
      files.push(name)
      if (name === 'certificate.html') continue
      await page.goto(pathToFileURL(file).href)
      await note(name)
    }
    return { ran, elements, showed, files }
  }),
)
