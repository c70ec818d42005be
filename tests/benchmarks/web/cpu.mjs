// What the page's thread does while something happens, from the browser's own trace: CPU time, so other work on the
// machine does not count.

const CATEGORIES = ['devtools.timeline', 'v8', 'toplevel']
/** Where script runs: calls of the page's functions, and the promises that follow. Layout that it forces counts. */
const SCRIPT = new Set([
  'EventDispatch', 'EvaluateScript', 'FireAnimationFrame', 'FunctionCall', 'RunMicrotasks', 'TimerFire',
  'BlinkScheduler_PerformMicrotaskCheckpoint', 'v8.callFunction', 'v8.evaluateModule',
])

/** Trace while `act` goes on; the script of the busiest page [ms since the trace began, ms of CPU], in its order. */
export async function scriptDuring(session, act) {
  const events = []
  const collect = ({ value }) => events.push(...value)
  session.on('Tracing.dataCollected', collect)
  await session.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: CATEGORIES } })
  await act()
  const complete = new Promise((done) => session.once('Tracing.tracingComplete', done))
  await session.send('Tracing.end')
  await complete
  session.off('Tracing.dataCollected', collect)
  return outermost(events)
}

function outermost(events) {
  const threads = new Map()
  const begin = Math.min(...events.filter((one) => one.ts > 0).map((one) => one.ts))
  for (const one of events) {
    if (one.ph !== 'X' || !SCRIPT.has(one.name)) continue
    const thread = `${one.pid}:${one.tid}`
    threads.set(thread, [...(threads.get(thread) ?? []), one])
  }
  return [...threads.values()].map((thread) => withoutInner(thread, begin)).sort((a, b) => total(b) - total(a))[0] ?? []
}

function withoutInner(thread, begin) {
  let end = 0
  const outer = thread
    .sort((a, b) => a.ts - b.ts || b.dur - a.dur)
    .filter((one) => one.ts >= end && ((end = one.ts + one.dur), true))
  return outer.map((one) => ({ at: (one.ts - begin) / 1000, ms: (one.tdur ?? one.dur) / 1000 }))
}

export const total = (script) => script.reduce((sum, one) => sum + one.ms, 0)

/** Script in each stretch of `beatMs`: the service sends ten updates a second. */
export function perBeat(script, beatMs) {
  const beats = Array(Math.ceil((script.at(-1)?.at ?? 0) / beatMs)).fill(0)
  for (const { at, ms } of script) beats[Math.min(Math.floor(at / beatMs), beats.length - 1)] += ms
  return beats
}

/** The value below which a share of all lies. */
export const quantile = (values, share) => {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)] ?? 0
}
export const median = (values) => quantile(values, 0.5)
