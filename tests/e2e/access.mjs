// Sign in as a guest and as an administrator; give and take access; see the pages in every look.
// usage: node access.mjs URL FOLDER ADMIN_TOKEN VIEWER_TOKEN
import { goByKeys, report, withPage } from './browser.mjs'
import { nothingFound, seeNow } from './looks.mjs'

const [url, folder, admin, viewer] = process.argv.slice(2)

async function signIn(page, token) {
  await page.getByLabel('Token').fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function guest(page, seen) {
  await page.goto(`${url}/runs`)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  seen.asked = page.url()
  await page.getByRole('button', { name: 'Sign in' }).click()
  seen.empty = await page.locator('form').innerText()
  await signIn(page, 'wm_wrong')
  seen.wrong = await page.getByRole('alert').innerText()
  await seeNow(page, 'login', seen)
  await signIn(page, viewer)
  await page.waitForURL('**/runs')
  seen.after = page.url()
  seen.badge = await page.getByRole('link', { name: /guest/ }).innerText()
  await page.goto(`${url}/live`)
  const start = page.getByRole('button', { name: /Start/ }).first()
  await start.waitFor()
  await page.waitForFunction(() => [...document.querySelectorAll('button[disabled]')].some((button) => button.title.includes('role')))
  seen.startDisabled = await start.isDisabled()
  seen.startReason = await start.getAttribute('title')
  await page.goto(`${url}/access`)
  seen.guestAccess = await page.locator('main').getByText('Only administrators').innerText()
  const cookies = await page.context().cookies()
  seen.cookies = cookies.map(({ name, httpOnly, sameSite }) => ({ name, httpOnly, sameSite }))
}

async function administrator(page, seen, secondPage) {
  await page.getByRole('button', { name: 'Sign out' }).click()
  await page.waitForURL('**/login')
  seen.left = page.url()
  await signIn(page, admin)
  await page.waitForURL('**/live')
  await goByKeys(page, 'a')
  await page.getByRole('button', { name: 'Create a token' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('prometheus')
  await dialog.getByRole('combobox').click()
  await page.getByRole('option', { name: 'viewer' }).click()
  await dialog.getByRole('button', { name: 'Create a token' }).click()
  seen.secret = (await dialog.locator('code').innerText()).trim()
  await seeNow(page, 'made', seen)
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.getByRole('cell', { name: 'prometheus', exact: true }).waitFor()
  seen.tokens = await page.getByRole('region', { name: 'Tokens' }).first().innerText()
  await secondPage(async () => {
    await page.getByRole('row', { name: /guest/ }).getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
  })
  await page.getByText('Revoked', { exact: true }).first().waitFor()
  seen.revoked = await page.getByRole('region', { name: 'Tokens' }).first().innerText()
  await page.reload()
  await page.getByRole('cell', { name: 'access_revoke_token' }).first().waitFor()
  seen.audit = await page.getByRole('region', { name: 'Audit log' }).first().innerText()
  await seeNow(page, 'access', seen)
}

report(async () =>
  withPage({}, async (page) => {
    const seen = nothingFound(folder)
    await guest(page, seen)
    // The guest's pages stay open in another browser while their token is revoked.
    await administrator(page, seen, async (act) => {
      await withPage({}, async (other) => {
        await other.goto(`${url}/live`)
        await signIn(other, viewer)
        await other.waitForURL('**/live')
        await other.getByText('Connected', { exact: true }).first().waitFor()
        await act()
        await other.waitForURL('**/login**')
        seen.kicked = new URL(other.url()).pathname
        return {}
      })
    })
    return seen
  }),
)
