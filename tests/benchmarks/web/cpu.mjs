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
  const begin = Math.min(...events.filter((event) => event.ts > 0).map((event) => event.ts))
  for (const event of events) {
    if (event.ph !== 'X' || !SCRIPT.has(event.name)) continue
    const thread = `${event.pid}:${event.tid}`
    threads.set(thread, [...(threads.get(thread) ?? []), event])
  }
  return [...threads.values()].map((thread) => withoutInner(thread, begin)).sort((a, b) => total(b) - total(a))[0] ?? []
}

function withoutInner(thread, begin) {
  let end = 0
  const outer = thread
    .sort((a, b) => a.ts - b.ts || b.dur - a.dur)
    .filter((event) => event.ts >= end && ((end = event.ts + event.dur), true))
  return outer.map((event) => ({ at: (event.ts - begin) / 1000, ms: (event.tdur ?? event.dur) / 1000 }))
}

export const total = (script) => script.reduce((sum, task) => sum + task.ms, 0)

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
