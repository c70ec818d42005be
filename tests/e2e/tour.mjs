// Visit every page in light, dark and narrow; take pictures and run axe. usage: node tour.mjs URL FOLDER
import { getJson, report } from './browser.mjs'
import { seeAll } from './looks.mjs'

const [url, folder] = process.argv.slice(2)

async function pages() {
  const get = (path) => getJson(url + path)
  const [runs, choices] = [await get('/api/runs'), await get('/api/compare/choices')]
  const run = runs.find((one) => one.status === 'complete') ?? runs[0]
  const choice = choices.find((one) => one.measured > 0) ?? choices[0]
  const query = (values) => new URLSearchParams(values).toString()
  const [plan] = (await get('/api/bench')).plans
  return {
    start: '/start',
    live: '/live',
    campaign: '/campaign',
    ...(plan && { plan: `/plans/${plan.name}` }),
    'new-plan': '/plans/new',
    runs: '/runs',
    ...(run && { run: `/runs/${run.run_id}`, budget: `/runs/${run.run_id}?tab=power` }),
    compare: choice ? `/compare?${query({ workload: choice.workload, level: choice.level })}` : '/compare',
    memory: run ? `/memory?${query({ server: run.server, workload: run.workload, level: run.level })}` : '/memory',
    servers: '/servers',
    meters: '/meters',
    calibration: '/calibration',
    library: '/library',
    export: '/export',
  }
}

report(async () => seeAll(url, folder, await pages()))
