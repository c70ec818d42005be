// Measure the web app of a running service in Chromium. usage: node measure.mjs URL SECONDS_LIVE STEP,STEP
import { withPage } from '../../e2e/browser.mjs'
import { median } from './cpu.mjs'
import { fullFigures } from './full.mjs'
import { liveFrames, liveMemory } from './live.mjs'
import { compare, compareMany, longRun, millionSamples } from './runs.mjs'
import { firstVisit } from './visit.mjs'

/** Each step with how often it is repeated, each time in a new browser that knows nothing. */
const STEPS = {
  firstVisit: [firstVisit, 5],
  compare: [compare, 6],
  compareMany: [compareMany, 6],
  longRun: [longRun, 3],
  millionSamples: [millionSamples, 1],
  fullFigures: [fullFigures, 1],
  liveFrames: [liveFrames, 2],
  liveMemory: [liveMemory, 1],
}
/** A browser loads pages of its own when it starts; they would be measured too. */
const START_MS = 5000

const [url, seconds, wanted] = process.argv.slice(2)
const figures = new Map()
function add(name, value, unit, limit = null) {
  const figure = figures.get(name) ?? { name, values: [], unit, limit }
  figures.set(name, figure)
  figure.values.push(value)
}

async function once(step, repeat) {
  await withPage({}, async (page, context) => {
    await page.waitForTimeout(START_MS)
    const session = await context.newCDPSession(page)
    await step({ page, session, url, add, repeat, seconds: Number(seconds) })
    return {}
  })
}

let failed = 0
for (const name of wanted.split(',')) {
  const [step, times] = STEPS[name]
  for (let repeat = 0; repeat < times; repeat++) {
    await once(step, repeat).catch((error) => {
      failed += 1
      console.error(`${name}: ${error}`)
    })
  }
}
const rounded = (value) => Number(value.toFixed(1))
const summaries = [...figures.values()].map(({ name, values, unit, limit }) => {
  const [value, least, most] = [median(values), Math.min(...values), Math.max(...values)].map(rounded)
  return { name, value, unit, limit, range: values.length > 1 ? [least, most] : null }
})
console.log(JSON.stringify({ figures: summaries, failed }))
