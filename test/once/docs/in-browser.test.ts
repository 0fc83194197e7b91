import { describe, expect } from 'bun:test'
import { join } from 'node:path'
import { projectRoot } from '../../documents'
import { openPage, test, waitForHidden, waitForValue, waitForVisible } from '../../web/browser'
import { world } from '../../world'

const axe = await Bun.file(join(projectRoot, 'node_modules/axe-core/axe.min.js')).text()

type Axe = { run(options: object): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }> }

describe('the documentation in a browser', () => {
  test('is accessible, and no wider than the screen, on a desk and on a phone', async () => {
    const cast = await world()
    const found: string[] = []
    for (const [width, colorScheme] of [
      [1400, 'light'],
      [375, 'dark'],
    ] as const) {
      const page = await openPage(cast, undefined, '/docs/errors', { width, colorScheme, bypassCSP: true })
      // The pages are small: axe takes seconds for each hundred lines of coloured code.
      for (const path of [
        '/docs/errors',
        '/docs/notifications',
        '/docs/reference/search',
        '/docs/reference/posts',
        '/docs',
      ]) {
        if (path !== '/docs/errors') await page.goto(cast.baseUrl + path)
        await page.evaluate(() => {
          for (const part of document.querySelectorAll('details')) part.open = true
        })
        const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
        if (overflow > 0) found.push(`${path} ${width}: ${overflow} px too wide`)
        if (path === '/docs/reference/posts') continue
        await page.evaluate(axe)
        const { violations } = await page.evaluate(() =>
          (window as unknown as { axe: Axe }).axe.run({ resultTypes: ['violations'] }),
        )
        found.push(...violations.map(({ id, nodes }) => `${path} ${width} ${colorScheme}: ${id} ${nodes[0]!.html}`))
      }
    }
    expect(found).toEqual([])
  })

  test('finds an operation by keyboard, and sends it with the session or a token', async () => {
    const cast = await world()
    const { ada } = cast
    await cast.root.posts.create({ channel_id: cast.general.id, title: 'Lunch?' })
    const page = await openPage(cast, ada, '/docs/getting-started')
    await page.keyboard.press('/')
    await page.keyboard.type('list posts')
    await waitForVisible(page.getByRole('option', { name: 'List posts' }))
    await page.keyboard.press('Enter')
    await waitForValue(() => page.url(), `${cast.baseUrl}/docs/reference/posts#posts.list`)

    const section = page.locator('[id="posts.list"]')
    await section.getByText('Try it').click()
    await section.getByLabel('limit').fill('1')
    await section.getByRole('button', { name: 'Use my session' }).click()
    await waitForVisible(section.getByText('This token works for ten minutes'))
    await section.getByRole('button', { name: 'Send request' }).click()
    await waitForVisible(section.getByText('200 OK'))
    expect(await section.locator('.outcome').innerText()).toContain('"title": "Lunch?"')

    // A token stays in this tab, and is the same on every page.
    await section.getByLabel('Access token').fill(cast.root.token)
    await page.goto(`${cast.baseUrl}/docs/reference/channels#channels.create`)
    const create = page.locator('[id="channels.create"]')
    await create.getByText('Try it').click()
    await create.getByRole('textbox', { name: 'Body' }).fill('{ "name": "lunch" }')
    await create.getByRole('button', { name: 'Send request' }).click()
    await waitForVisible(create.locator('.outcome').getByText('"name": "lunch"'))
    expect(await page.evaluate(() => JSON.stringify(localStorage))).not.toContain('parley_')
  })

  test('remembers the language of the samples, and opens its menu on a phone', async () => {
    const cast = await world()
    const page = await openPage(cast, undefined, '/docs', { width: 375 })
    await page.getByRole('button', { name: 'Python' }).click()
    await waitForVisible(page.getByText('urllib.request.urlopen').first())
    await waitForHidden(page.getByText('curl "http').first())
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('navigation').getByRole('link', { name: 'Threads' }).click()
    await waitForVisible(page.getByRole('heading', { name: 'Threads', level: 1 }))
    await waitForVisible(page.getByText('urllib.request.urlopen').first())
  })
})
