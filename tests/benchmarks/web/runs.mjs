// Pages about what was measured: a long run, a run of three quick quantities, a comparison of many runs.
import { median, scriptDuring, total } from './cpu.mjs'
import { observe, violations } from './visit.mjs'

const KEYS = ['+', '+', '+', 'ArrowRight', '+', '-', '+', '-', '-', '+']
const FIGURE = 'main figure svg[role=img], main svg[role=img]'
const painted = (page) => page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
const press = (page, key) => page.locator('[role=group][tabindex="0"]').first().press(key)

/** Press a key and wait until the service's answer is drawn [ms]; that of the service alone, too. */
async function zoom(page, key) {
  const answer = page.waitForResponse((response) => response.url().includes('/traces?'))
  const begin = performance.now()
  await press(page, key)
  const response = await answer
  await response.finished()
  await painted(page)
  const { requestStart, responseEnd } = response.request().timing()
  return { whole: performance.now() - begin, service: responseEnd - requestStart }
}

/** From a click to the first trace, and from a key to the answer drawn, of a run with ten million samples. */
export async function longRun({ page, url, add }) {
  await page.goto(`${url}/runs`)
  await page.locator('a[href="/runs/long"]').first().waitFor()
  await page.waitForTimeout(1000)
  const first = await page.evaluate(
    (name) =>
      new Promise((done) => {
        const begin = performance.now()
        document.querySelector(name).click()
        const look = () =>
          document.querySelector('.lane canvas') ? requestAnimationFrame(() => done(performance.now() - begin)) : setTimeout(look, 5)
        look()
      }),
    'a[href="/runs/long"]',
  )
  add('run of 10 million samples: click to first trace', first, 'ms', 1000)
  await page.waitForTimeout(1000)
  const zooms = []
  for (const key of KEYS) zooms.push(await zoom(page, key))
  add('run of 10 million samples: zoom, service included, median', median(zooms.map((zoom) => zoom.whole)), 'ms', 150)
  add('run of 10 million samples: zoom, service included, slowest', Math.max(...zooms.map((zoom) => zoom.whole)), 'ms', 150)
  add('run of 10 million samples: of which the service, slowest', Math.max(...zooms.map((zoom) => zoom.service)), 'ms')
  add('run page: objections of axe-core', await violations(page), '', 0)
}

/** Script of each zoom on a page that shows three lanes. */
export async function zoomScript(page, session) {
  await page.getByRole('button', { name: /Voltage/i }).click()
  await page.locator('.lane canvas').nth(2).waitFor()
  await page.waitForTimeout(1500)
  const script = []
  for (const key of KEYS) {
    const during = await scriptDuring(session, async () => {
      await press(page, key)
      await page.waitForTimeout(800)
    })
    script.push(total(during))
  }
  return script
}

/** Three synchronised lanes of a million samples each, as the service sends them: thinned to the screen's width. */
export async function millionSamples({ page, session, url, add }) {
  await page.goto(`${url}/runs/million`)
  const script = await zoomScript(page, session)
  add('three traces of a million samples: script of a zoom, median', median(script), 'ms', 50)
  add('three traces of a million samples: script of a zoom, slowest', Math.max(...script), 'ms', 50)
}

/** From the address, and from a click, to the figure that compares all runs. */
export async function compare({ page, url, add, repeat }) {
  const begin = performance.now()
  await page.goto(`${url}/compare?workload=bench&level=all+threads`, { waitUntil: 'commit' })
  await page.locator(FIGURE).first().waitFor()
  await painted(page)
  const took = performance.now() - begin
  add(`compare 1000 runs: address to figure${repeat ? '' : ', service just begun'}`, took, 'ms', 1000)
  add('compare page: objections of axe-core', await violations(page), '', 0)
  await page.goto(`${url}/runs`)
  await page.locator('a[href="/runs/long"]').first().waitFor()
  await page.waitForTimeout(1500)
  const clicked = performance.now()
  await page.locator('a[href="/compare"]').first().click()
  await page.locator(FIGURE).first().waitFor()
  await painted(page)
  add('compare 1000 runs: click to figure', performance.now() - clicked, 'ms', 1000)
}

/** From the address to figure and table of a laboratory: 240 configurations in 2000 runs. */
export async function compareMany({ page, session, url, add, repeat }) {
  await page.addInitScript(observe)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const begin = performance.now()
  await page.goto(`${url}/compare?workload=openssl.rsa2048-sign&level=all+threads`, { waitUntil: 'commit' })
  await page.locator(FIGURE).first().waitFor()
  await page.getByRole('table').first().waitFor()
  await painted(page)
  const took = performance.now() - begin
  add(`compare 240 configurations: address to figure and table${repeat ? '' : ', service just begun'}`, took, 'ms', 1000)
  const { metrics } = await session.send('Performance.getMetrics')
  const cpuS = metrics.find(({ name }) => name === 'TaskDuration').value
  add('compare 240 configurations: CPU time of the page until then', 1000 * cpuS, 'ms')
  await page.waitForTimeout(1000)
  const seen = await page.evaluate(() => ({ ...window.seen, nodes: document.querySelectorAll('*').length }))
  add('compare 240 configurations: cumulative layout shift x 1000', seen.cls * 1000, '', 50)
  add('compare 240 configurations: elements', seen.nodes, '')
  add('compare 240 configurations: objections of axe-core', await violations(page), '', 0)
  const clicked = performance.now()
  await page.getByRole('button', { name: 'Throughput and power' }).click()
  await page.getByRole('img', { name: /Pareto front/ }).waitFor()
  await painted(page)
  add('compare 240 configurations: to throughput against power', performance.now() - clicked, 'ms')
}
