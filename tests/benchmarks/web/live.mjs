// The live page: what an update costs, whether frames come in time, what is kept in memory.
import { median, perBeat, quantile, scriptDuring, total } from './cpu.mjs'

const BEAT_MS = 100
const TRACED_S = 10

/** Bytes that the page's objects and its arrays take, after the garbage is gone [MB]. */
const heapMb = async (session) => {
  await session.send('HeapProfiler.collectGarbage')
  const { usedSize, backingStorageSize } = await session.send('Runtime.getHeapUsage')
  return (usedSize + backingStorageSize) / 1e6
}

/** Open the page with every channel in sight. */
async function openLive(page, url, span) {
  await page.goto(`${url}/live`, { waitUntil: 'commit' })
  await page.locator('.u-over').first().waitFor()
  await page.getByText(span, { exact: true }).click()
  const more = page.getByRole('button', { name: /^Show all \d+/ })
  while (await more.count()) await more.first().click()
  await page.waitForTimeout(3000)
}

/** How many readings a second the first meter's power has really had. */
const rateHz = (page) =>
  page.evaluate(async () => {
    const { channels } = await (await fetch('/api/live')).json()
    const { t_s: t } = channels.find((channel) => channel.source === 'm0')
    const last = t.filter((stamp) => stamp > t.at(-1) - 5)
    return (last.length - 1) / (last.at(-1) - last[0])
  })

const frames = (page, seconds) =>
  page.evaluate(
    (ms) =>
      new Promise((done) => {
        const gaps = []
        let [first, last] = [null, null]
        const frame = (now) => {
          if (last !== null) gaps.push(now - last)
          first ??= now
          last = now
          if (now - first < ms) requestAnimationFrame(frame)
          else done(gaps)
        }
        requestAnimationFrame(frame)
      }),
    seconds * 1000,
  )

async function addScript(session, add, name) {
  const script = await scriptDuring(session, () => new Promise((done) => setTimeout(done, TRACED_S * 1000)))
  add(`${name}: script a second`, total(script) / TRACED_S, 'ms')
  add(`${name}: script of an update, 95th percentile`, quantile(perBeat(script, BEAT_MS), 0.95), 'ms')
}

/** A hundred channels at fifty readings a second, all in sight. */
export async function liveFrames({ page, session, url, add }) {
  await openLive(page, url, '2 min')
  add('live: channels in sight', await page.locator('main article, main section li').count(), '')
  add('live: readings of a channel a second', await rateHz(page), '')
  const times = await frames(page, TRACED_S)
  add('live, 100 channels: time between frames, median', median(times), 'ms', 16.7)
  add('live, 100 channels: time between frames, 95th percentile', quantile(times, 0.95), 'ms', 33.4)
  add('live, 100 channels: frames later than 25 ms', (100 * times.filter((gap) => gap > 25).length) / times.length, '%')
  await addScript(session, add, 'live, 100 channels')
}

/** What the page keeps in memory over time; at the end ten minutes of samples are drawn, if it lasted that long. */
export async function liveMemory({ page, session, url, add, seconds }) {
  await openLive(page, url, '10 min')
  const heaps = [await heapMb(session)]
  for (let k = 0; k < 6; k++) {
    await page.waitForTimeout((seconds * 1000) / 6)
    heaps.push(await heapMb(session))
  }
  add('live: memory at the begin', heaps[0], 'MB')
  add(`live: memory after ${seconds} s`, heaps.at(-1), 'MB')
  add('live: growth of memory after the first sixth', heaps.at(-1) - heaps[1], 'MB', 5)
  await addScript(session, add, `live, 10 min drawn after ${seconds} s`)
}
