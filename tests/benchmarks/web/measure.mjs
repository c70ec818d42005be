// Measure the web app of a running service in Chromium. usage: node measure.mjs URL SECONDS_LIVE STEP,STEP
import { gzipSync } from 'node:zlib'
import { withPage } from '../../e2e/browser.mjs'
import { answerTraces } from './traces.mjs'

const [url, liveS, wanted] = process.argv.slice(2)
const figures = []
const add = (name, value, unit, limit = null) => figures.push({ name, value: Number(value.toFixed(1)), unit, limit })
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1]
const scriptMs = async (session) => {
  const { metrics } = await session.send('Performance.getMetrics')
  return metrics.find((one) => one.name === 'ScriptDuration').value * 1000
}
const heapMb = async (session) => {
  await session.send('HeapProfiler.collectGarbage')
  return (await session.send('Runtime.getHeapUsage')).usedSize / 1e6
}

/** What a first visit loads and how soon it paints: the figures that Lighthouse takes from the same interfaces. */
async function firstVisit(page) {
  const scripts = []
  page.on('response', (answer) => /\/assets\/.*\.js$/.test(answer.url()) && scripts.push(answer.body()))
  await page.addInitScript(() => {
    window.seen = { lcp: 0, cls: 0, tbt: 0 }
    const watch = (type, act) =>
      new PerformanceObserver((list) => list.getEntries().forEach(act)).observe({ type, buffered: true })
    watch('largest-contentful-paint', (one) => (window.seen.lcp = one.startTime))
    watch('layout-shift', (one) => (window.seen.cls += one.hadRecentInput ? 0 : one.value))
    watch('longtask', (one) => (window.seen.tbt += Math.max(0, one.duration - 50)))
  })
  await page.goto(url)
  await page.locator('main h1').first().waitFor()
  await page.waitForTimeout(3000)
  const bytes = (await Promise.all(scripts)).reduce((sum, one) => sum + gzipSync(one, { level: 9 }).length, 0)
  const paint = await page.evaluate(() => ({ ...window.seen, fcp: performance.getEntriesByName('first-contentful-paint')[0].startTime }))
  add('first visit: script, gzip', bytes / 1000, 'kB', 120)
  add('first visit: first contentful paint', paint.fcp, 'ms')
  add('first visit: largest contentful paint', paint.lcp, 'ms')
  add('first visit: cumulative layout shift x 1000', paint.cls * 1000, '')
  add('first visit: total blocking time', paint.tbt, 'ms')
}

/** From a click to the first trace, and from a key to the answer drawn, of a run with ten million samples. */
async function longRun(page) {
  await page.goto(`${url}/runs`)
  await page.locator('a[href="/runs/long"]').first().waitFor()
  const painted = (act) =>
    page.evaluate(
      (name) =>
        new Promise((done) => {
          const begin = performance.now()
          document.querySelector(name).click()
          const look = () => (document.querySelector('.lane canvas') ? requestAnimationFrame(() => done(performance.now() - begin)) : setTimeout(look, 5))
          look()
        }),
      act,
    )
  add('run of 10 million samples: click to first trace', await painted('a[href="/runs/long"]'), 'ms', 1000)
  const zooms = []
  for (const key of ['+', '+', '+', 'ArrowRight', '+', '-', '+']) {
    const answer = page.waitForResponse((one) => one.url().includes('/traces?'))
    const begin = performance.now()
    await page.locator('[role=group][tabindex="0"]').first().press(key)
    await (await answer).finished()
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))))
    zooms.push(performance.now() - begin)
  }
  add('run of 10 million samples: zoom, server included, median', median(zooms), 'ms', 150)
  add('run of 10 million samples: zoom, server included, slowest', Math.max(...zooms), 'ms', 150)
}

/** Three synchronised lanes of a million points each. */
async function millionPoints(page, session) {
  await page.addInitScript(answerTraces, 1_000_000)
  await page.goto(`${url}/runs/run-0000`, { waitUntil: 'commit' })
  await page.getByRole('button', { name: /Voltage/ }).click({ timeout: 60_000 })
  await page.locator('.lane canvas').nth(1).waitFor({ timeout: 60_000 })
  const times = []
  for (const key of ['+', '+', '-', '-', '+']) {
    const before = await scriptMs(session)
    await page.locator('[role=group][tabindex="0"]').first().press(key)
    await page.waitForTimeout(1500)
    times.push((await scriptMs(session)) - before)
  }
  add('three traces of a million points: script of a zoom, median', median(times), 'ms', 50)
}

/** Script of the live page a second, and what it keeps in memory over time. */
async function liveView(page, session) {
  await page.goto(url, { waitUntil: 'commit' })
  await page.locator('.u-over').first().waitFor({ timeout: 60_000 })
  await page.getByText('10 min', { exact: true }).click()
  await page.waitForTimeout(5000)
  const heaps = [await heapMb(session)]
  const begin = performance.now()
  const script = await scriptMs(session)
  for (let k = 0; k < 6; k++) {
    await page.waitForTimeout((Number(liveS) * 1000) / 6)
    heaps.push(await heapMb(session))
  }
  const seconds = (performance.now() - begin) / 1000
  add(`live, 4 meters at 50 Hz, all channels: script a second (${liveS} s)`, ((await scriptMs(session)) - script) / seconds, 'ms')
  add('live: memory at the begin', heaps[0], 'MB')
  add('live: memory at the end', heaps.at(-1), 'MB')
  add('live: growth of memory after the first sixth', heaps.at(-1) - heaps[1], 'MB', 5)
}

async function compare(page) {
  await page.goto(`${url}/runs`)
  await page.waitForTimeout(500)
  const begin = performance.now()
  await page.goto(`${url}/compare?workload=bench&level=all+threads`)
  await page.locator('main figure svg, main svg[role=img]').first().waitFor()
  add('compare 1000 runs: address to figure', performance.now() - begin, 'ms', 1000)
}

const steps = { firstVisit, longRun, compare, millionPoints, liveView }
for (const name of wanted.split(',')) {
  try {
    await withPage({}, async (page, context) => {
      const session = await context.newCDPSession(page)
      await session.send('Performance.enable')
      await steps[name](page, session)
      return {}
    })
  } catch (error) {
    console.error(`${name}: ${error}`)
  }
}
console.log(JSON.stringify({ figures }))
