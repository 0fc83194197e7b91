import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { picture } from '../me/pictures'
import { world } from '../world'
import { openPage, type PageOptions, test, waitForValue, waitForVisible } from './browser'

const DARK = { colorScheme: 'dark' } satisfies PageOptions

/** What is shown on paper and is there only to be used: buttons, fields, navigation. */
const findControls = (page: Page) =>
  page
    .locator(
      'nav, button, [role=button], [role=tablist], textarea, select, input:not([type=checkbox]), .composer, .skip',
    )
    .evaluateAll((all) =>
      all
        // A reaction and a quotation say something.
        .filter(
          (element) =>
            element.checkVisibility({ visibilityProperty: true }) &&
            !element.matches('.reaction:not(.add, .who), .quote'),
        )
        .map((element) => element.outerHTML.slice(0, 100)),
    )

const readColors = (page: Page, selector: string) =>
  page
    .locator(selector)
    .first()
    .evaluate((element) => {
      const ground = getComputedStyle(document.documentElement).backgroundColor
      return { ink: getComputedStyle(element).color, ground }
    })
const BLACK_ON_WHITE = { ink: 'rgb(0, 0, 0)', ground: 'rgb(255, 255, 255)' }

/** Elements whose content is cut off or could be scrolled. */
const findClipped = (page: Page) =>
  page.locator('main, main *').evaluateAll((all) =>
    all
      .filter((element) => {
        const { overflowX, overflowY, webkitLineClamp } = getComputedStyle(element)
        const [wide, high] = [element.scrollWidth - element.clientWidth, element.scrollHeight - element.clientHeight]
        const isCut = (overflowY !== 'visible' && high > 1) || (overflowX !== 'visible' && wide > 1)
        return isCut && webkitLineClamp === 'none' && element.checkVisibility() && !element.closest('.visually-hidden')
      })
      .map((element) => element.outerHTML.slice(0, 100)),
  )

const countPdfPages = (pdf: Uint8Array) =>
  Buffer.from(pdf)
    .toString('latin1')
    .match(/\/Type ?\/Page\b/g)?.length ?? 0

describe('on paper', () => {
  test('a post is printed with its resolution and comments, black on white, whole, and without controls', async () => {
    const cast = await world()
    const { ada, bob, general } = cast
    const tall = await ada.files.upload({ name: 'tall.png', file: await picture('png', [100, 2_000]) })
    const code = `const line = '${'long '.repeat(60)}'`
    const cells = Array.from({ length: 12 }, (_, at) => `column${at}`).join('|')
    const content_markdown = [
      'See [the plan](https://example.com/plan) and https://example.com/bare, <@' + bob.id + '>.',
      `\`\`\`js\n${code}\n\`\`\``,
      `|${cells}|\n|${'-|'.repeat(12)}\n|${cells}|`,
      `![A tower](${tall.id})`,
      '- [x] done',
    ].join('\n\n')
    const { id } = await ada.posts.create({ channel_id: general.id, title: 'Paper', content_markdown })
    const comment = await bob.comments.create({ post_id: id, content_markdown: 'Good.' })
    await ada.comments.create({ post_id: id, parent_id: comment.id, content_markdown: 'Thanks.' })
    await bob.reactions.add({ subject_id: comment.id, emoji: '👍' })
    await ada.posts.resolve({ post_id: id, content_markdown: 'Decided.' })
    const page = await openPage(cast, ada, `/posts/${id}`, DARK)
    await waitForVisible(page.getByRole('article', { name: 'Reply by Ada Lovelace' }))
    const tower = page.getByRole('img', { name: 'A tower' })
    await tower.scrollIntoViewIfNeeded()
    await waitForValue(
      () => tower.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0),
      true,
    )
    await page.emulateMedia({ media: 'print', ...DARK })

    expect(await findControls(page)).toEqual([])
    expect(await findClipped(page)).toEqual([])
    for (const words of ['Paper', 'Decided.', 'Good.', 'Thanks.', '2 comments'])
      await waitForVisible(page.getByRole('main').getByText(words, { exact: true }).first())
    for (const selector of ['h1', 'article[aria-label=Post] p', '.comment .content p', '.resolution .content p'])
      expect(await readColors(page, selector)).toEqual(BLACK_ON_WHITE)
    const addressOf = (name: string) =>
      page
        .getByRole('article', { name: 'Post' })
        .getByRole('link', { name })
        .evaluate((link) => getComputedStyle(link, '::after').content)
    expect(await addressOf('the plan')).toBe('" (https://example.com/plan)"')
    expect(await addressOf('https://example.com/bare')).toBe('none')
    expect(await addressOf('@Bob Moore')).toBe('none')
    // A page of A4 or Letter has about 950 pixels.
    const { height, width } = (await tower.boundingBox())!
    expect(height).toBeLessThanOrEqual(900)
    expect(height / width).toBeGreaterThan(15)
    expect(await tower.evaluate((image) => getComputedStyle(image).breakInside)).toBe('avoid')

    // With the theme chosen in the app, too.
    await page.evaluate(() => Object.assign(document.documentElement.dataset, { theme: 'dark' }))
    expect(await readColors(page, 'h1')).toEqual(BLACK_ON_WHITE)
  })

  test('a thread is printed as a whole, on as many pages as it needs', async () => {
    const cast = await world()
    const { ada, bob } = cast
    const thread = await ada.threads.create({ title: 'Plans', member_ids: [bob.id] })
    const messages = await Promise.all(
      Array.from({ length: 40 }, (_, at) =>
        ada.messages.create({ thread_id: thread.id, content_markdown: `Note ${at}.\n\nMore.` }),
      ),
    )
    await bob.messages.create({ thread_id: thread.id, parent_id: messages[0]!.id, content_markdown: 'Answer.' })
    const page = await openPage(cast, ada, `/threads/${thread.id}`, DARK)
    await waitForVisible(page.locator('.message').getByText('Answer.'))
    await waitForValue(() => page.locator('.message').count(), 41)
    await page.emulateMedia({ media: 'print', ...DARK })
    expect(await findControls(page)).toEqual([])
    expect(await findClipped(page)).toEqual([])
    expect(await page.getByRole('list', { name: 'Threads' }).isVisible()).toBe(false)
    expect(await readColors(page, '.message .content p')).toEqual(BLACK_ON_WHITE)
    await waitForVisible(page.getByRole('heading', { name: 'Plans' }))
    expect(countPdfPages(await page.pdf({ format: 'A4' }))).toBeGreaterThan(2)
  })

  test('the feed is printed as a list of posts', async () => {
    const cast = await world()
    for (const title of ['One', 'Two'])
      await cast.bob.posts.create({ channel_id: cast.general.id, title, content_markdown: 'Some text.' })
    const page = await openPage(cast, cast.ada, '/posts', DARK)
    await waitForVisible(page.getByRole('heading', { name: 'Two' }))
    await page.emulateMedia({ media: 'print', ...DARK })
    expect(await findControls(page)).toEqual([])
    expect(await readColors(page, '.post-row h2 a')).toEqual(BLACK_ON_WHITE)
    expect(await page.locator('.setup').isVisible()).toBe(false)
    for (const words of ['One', 'Two', 'Some text.']) await waitForVisible(page.getByText(words).first())
  })

  test('the documentation is printed without navigation, black on white', async () => {
    const cast = await world()
    for (const path of ['/docs/searching', '/docs/reference/posts']) {
      const page = await openPage(cast, undefined, path, DARK)
      await page.emulateMedia({ media: 'print', ...DARK })
      expect(await findControls(page)).toEqual([])
      expect(await findClipped(page)).toEqual([])
      expect(await readColors(page, 'main h1')).toEqual(BLACK_ON_WHITE)
    }
  })
})
