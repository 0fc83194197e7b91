import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { world } from '../world'
import { openPage, test, waitForVisible } from './browser'
import { waitUntilKept } from './kept-data'

/** A page of this server that has no scripts. */
const PLAIN = '/docs/errors'

/** The text of an element and where it is; null if it is not there. */
type Seen = Record<string, { text: string; left: number; top: number } | null>

/** What is in the first frame after a click or a key, before anything can have been answered. */
const actAndSee = (page: Page, act: { click?: string; key?: string }, selectors: Record<string, string>) =>
  page.evaluate(
    async ([{ click, key }, all]) => {
      const see = () =>
        Object.fromEntries(
          Object.entries(all).map(([name, selector]) => {
            const element = document.querySelector<HTMLElement>(selector)
            const { left, top } = element?.getBoundingClientRect() ?? { left: 0, top: 0 }
            return [name, element && { text: element.innerText, left, top }]
          }),
        )
      if (click) document.querySelector<HTMLElement>(click)!.click()
      if (key) document.body.dispatchEvent(new KeyboardEvent('keydown', { key, ctrlKey: true, bubbles: true }))
      await new Promise(requestAnimationFrame)
      return see()
    },
    [act, selectors] as const,
  ) as Promise<Seen>

/** Nothing is answered from now on. */
const holdRequests = (page: Page) => page.route(/\/(v2|session|assets)\//, () => {})

/** What is loaded beforehand has been loaded. */
async function waitForCode(page: Page) {
  await page.waitForFunction(() => performance.getEntriesByName('loaded-soon').length > 0)
}

describe('in the first frame', () => {
  test('a post that is opened from the feed has its title, author and text, where they stay', async () => {
    const cast = await world()
    const text = 'At noon, if the weather is fine.'
    const post = await cast.bob.posts.create({ channel_id: cast.general.id, title: 'Lunch?', content_markdown: text })
    await cast.bob.comments.create({ post_id: post.id, content_markdown: 'Or at one.' })
    const page = await openPage(cast, cast.ada, '/posts')
    await waitForVisible(page.getByText('Or at one.'))
    await waitForCode(page)
    await holdRequests(page)
    const parts = { title: 'main h1', author: 'main.post .who', text: 'main article[aria-label=Post] p' }
    const first = await actAndSee(page, { click: `#${post.id} a[data-row]` }, parts)
    expect(first.title?.text).toBe('Lunch?')
    expect(first.author?.text).toBe('Bob Moore')
    expect(first.text?.text).toBe(text)

    await page.unrouteAll()
    await page.reload()
    await waitForVisible(page.getByRole('article', { name: /^Comment/ }))
    expect(await actAndSee(page, {}, parts)).toEqual(first)
  })

  test('the palette is open after its key', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/posts')
    await waitForVisible(page.getByText('No posts yet'))
    await waitForCode(page)
    await holdRequests(page)
    const first = await actAndSee(page, { key: 'k' }, { field: '.palette input', options: '.palette [role=option]' })
    expect(first.field).not.toBeNull()
    expect(first.options).not.toBeNull()
  })

  test('an app that is opened again has the page itself, not its outline', async () => {
    const cast = await world()
    const post = await cast.bob.posts.create({
      channel_id: cast.general.id,
      title: 'Lunch?',
      content_markdown: 'Noon?',
    })
    const page = await openPage(cast, cast.ada, `/posts/${post.id}`)
    await waitForVisible(page.getByText('Noon?'))
    await waitUntilKept(page, 'Noon?')
    await waitForCode(page)
    await page.goto(cast.baseUrl + PLAIN)
    await page.addInitScript(() => {
      const seen: string[] = []
      Object.assign(window, { seen })
      const look = () => {
        const heading = document.querySelector('#app h1')?.textContent
        const isOutline = document.querySelector('#app .page-skeleton') !== null
        const state = isOutline ? 'outline' : heading
        if (state && seen.at(-1) !== state) seen.push(state)
        requestAnimationFrame(look)
      }
      requestAnimationFrame(look)
    })
    await page.goto(`${cast.baseUrl}/posts/${post.id}`)
    await waitForVisible(page.getByText('Noon?'))
    expect(await page.evaluate(() => (window as unknown as { seen: string[] }).seen)).toEqual(['Lunch?'])
  })
})
