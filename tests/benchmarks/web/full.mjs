// The web app's own figures with every sample in the page, which the service would have thinned or sent over minutes.
import { withComponents } from './components.mjs'
import { median, perBeat, quantile, scriptDuring } from './cpu.mjs'
import { zoomScript } from './runs.mjs'

const POINTS = 30_000
const BEAT_MS = 100

/** Script of a zoom into three lanes of a million points, and of an update of four live traces of 30,000. */
export async function fullFigures({ page, session, add }) {
  await withComponents(async (url) => {
    await page.goto(`${url}?traces=1000000`)
    const script = await zoomScript(page, session)
    add('three traces of a million points in the page: script of a zoom, median', median(script), 'ms', 50)
    add('three traces of a million points in the page: script of a zoom, slowest', Math.max(...script), 'ms', 50)
    await page.goto(`${url}?live=${POINTS}`)
    await page.locator('.trace canvas').nth(3).waitFor()
    await page.waitForTimeout(3000)
    const beats = perBeat(await scriptDuring(session, () => page.waitForTimeout(10_000)), BEAT_MS)
    add('live, 4 x 30,000 points: script of an update, median', median(beats), 'ms', 6)
    add('live, 4 x 30,000 points: script of an update, 95th percentile', quantile(beats, 0.95), 'ms', 6)
  })
}
