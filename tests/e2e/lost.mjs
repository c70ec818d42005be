// A service that ends under a page and comes back. usage: node lost.mjs WATTMARK DATA
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { report, withPage } from './browser.mjs'

const [wattmark, data] = process.argv.slice(2)

/** Serve on a port, 0: a free one; gives how to reach it and how to end it. */
async function serve(port) {
  const service = spawn(wattmark, ['serve', '--port', port, '--data', data], { stdio: ['ignore', 'ignore', 'pipe'] })
  const end = async () => {
    service.kill('SIGINT')
    await once(service, 'exit')
  }
  let log = ''
  for await (const part of service.stderr) {
    log += part
    const match = log.match(/listens on (http:\/\/127\.0\.0\.1:(\d+))/)
    if (match) return { url: match[1], port: match[2], end }
  }
  throw new Error(log)
}

report(async () => {
  let service = await serve('0')
  try {
    return await withPage({}, async (page) => {
      const connection = page.getByRole('banner').getByText('Connection lost')
      await page.goto(`${service.url}/live`)
      await page.getByRole('banner').getByText('Connected', { exact: true }).waitFor()
      await service.end()
      await connection.waitFor()
      await page.getByRole('link', { name: 'Compare', exact: true }).click()
      const notice = page.getByText('This page could not be loaded.')
      await notice.waitFor()
      const stayed = new URL(page.url()).pathname
      service = await serve(service.port)
      await page.getByRole('heading', { name: 'Compare', level: 1 }).waitFor()
      await connection.waitFor({ state: 'detached' })
      return { stayed, opened: new URL(page.url()).pathname }
    })
  } finally {
    await service.end()
  }
})
