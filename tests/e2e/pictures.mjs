// Take the pictures of the guide, with numbers drawn at what its text explains.
// usage: node pictures.mjs URL FOLDER PICTURES, a JSON file: [{name, path, theme, width, height, from, to, marks}]
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { report, withPage } from './browser.mjs'

const [url, folder, list] = process.argv.slice(2)
const SETTLED_MS = 600
const MARGIN_PX = 24

/** Draw numbered discs at elements: text found by its words, or an element by a selector that begins with "css=". */
async function number(page, marks) {
  const places = []
  for (const { at, side = 'left' } of marks) {
    const found = at.startsWith('css=') ? page.locator(at.slice(4)) : page.getByText(at, { exact: true })
    const box = await found.first().boundingBox()
    if (!box) throw new Error(`nothing to point at: ${at}`)
    const beside = { x: box.x - 16, y: box.y + Math.min(box.height / 2, 14) }
    places.push(side === 'above' ? { x: box.x + box.width / 2, y: box.y - 10 } : beside)
  }
  await page.evaluate((all) => {
    all.forEach(({ x, y }, i) => {
      const disc = document.createElement('div')
      disc.textContent = String(i + 1)
      Object.assign(disc.style, {
        position: 'absolute', left: `${x + scrollX - 12}px`, top: `${y + scrollY - 12}px`, width: '24px', height: '24px',
        borderRadius: '12px', background: '#b3261e', color: '#fff', font: '600 14px/24px Inter, sans-serif',
        textAlign: 'center', zIndex: '999', boxShadow: '0 0 0 2px #fff',
      })
      document.body.append(disc)
    })
  }, places)
}

/** From above one element to below another, without the navigation; undefined: all that is in sight. */
async function part(page, { from, to, width }) {
  if (!to) return undefined
  const edge = async (selector) => page.locator(selector).first().boundingBox()
  const top = from ? Math.max(0, (await edge(from)).y - MARGIN_PX) : 0
  const end = await edge(to)
  const { x } = await edge('main')
  return { x, y: top, width: width - x, height: end.y + end.height + MARGIN_PX - top }
}

async function take(context, picture) {
  const { name, path, theme = 'light', width = 1200, height = 900, marks = [] } = picture
  const page = await context.newPage()
  await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
  // As high as the whole page, so that nothing has to be scrolled into sight.
  await page.setViewportSize({ width, height: Math.max(height, 3200) })
  await page.goto(url + path)
  await page.locator('main h1').first().waitFor()
  await page.waitForLoadState('networkidle')
  await page.waitForTimeout(SETTLED_MS)
  await number(page, marks)
  const clip = (await part(page, { ...picture, width })) ?? { x: 0, y: 0, width, height }
  await page.screenshot({ path: join(folder, `${name}.png`), clip })
  await page.close()
}

report(() =>
  withPage({ timezoneId: 'UTC' }, async (_, context) => {
    const pictures = JSON.parse(readFileSync(list, 'utf8'))
    for (const picture of pictures) await take(context, picture)
    return { taken: pictures.map((picture) => picture.name) }
  }),
)
