// The wall display of a lab: all servers at once, then one of them. usage: node wall_display.mjs URL FOLDER
import { report, withPage } from './browser.mjs'
import { nothingFound, seeNow } from './looks.mjs'

const [url, folder] = process.argv.slice(2)

report(() =>
  withPage({ reducedMotion: 'reduce' }, async (page) => {
    const found = nothingFound(folder)
    await page.goto(`${url}/live/bench`)
    const board = page.getByRole('region', { name: 'Servers of the lab' })
    const tiles = board.getByRole('link')
    await tiles.filter({ hasText: 'Left' }).getByText(/\d/).first().waitFor()
    await page.waitForFunction(() => !document.body.innerText.includes('waiting'))
    const all = await tiles.allInnerTexts()
    await seeNow(page, 'lab', found)
    await tiles.filter({ hasText: 'Left' }).press('Enter')
    await page.getByRole('region', { name: 'Wall power' }).getByText(/\d/).first().waitFor()
    const one = await page.getByRole('region', { name: 'Wall power' }).innerText()
    const address = new URL(page.url()).search
    await page.getByRole('button', { name: 'All servers' }).click()
    await board.waitFor()
    return { all, one, address, ...found }
  }),
)
