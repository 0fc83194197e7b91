import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { type World, world } from '../world'
import {
  holdNotices,
  joinedWorld,
  openPage,
  PHONE,
  richText,
  test,
  waitForHidden,
  waitForValue,
  waitForVisible,
} from './browser'

const OFFLINE = /ERR_INTERNET_DISCONNECTED|Failed to fetch/
const comment = (page: Page) => page.getByRole('textbox', { name: 'Comment', exact: true })
const sidebar = (page: Page) => page.getByRole('navigation', { name: 'Sidebar' })
const createPost = ({ general, ada }: World) =>
  ada.posts.create({ channel_id: general.id, title: 'Lunch?', content_markdown: 'Where?' })
/** What the window does when one comes back to it. */
const focus = (page: Page) => page.evaluate(() => dispatchEvent(new Event('focus')))

/** The text of a draft on the server, and the other texts that are kept beside it. */
async function readTexts({ ada }: World, subject_id: string): Promise<string[]> {
  const draft = await ada.drafts.get({ subject_id }).catch(() => undefined)
  return draft ? [draft, ...draft.others].map(({ content_markdown }) => content_markdown) : []
}

describe('drafts', () => {
  test('what is typed on one device is there on the other, and gone when it was sent', async () => {
    const cast = await world()
    const post = await createPost(cast)
    const desk = await openPage(cast, cast.ada, `/posts/${post.id}`)
    const phone = await openPage(cast, cast.ada, `/posts/${post.id}`, PHONE)
    await waitForVisible(comment(phone))
    const saves: string[] = []
    desk.on('request', (request) => {
      if (request.method() === 'PUT' && request.url().includes('/v2/drafts/')) saves.push(request.url())
    })
    await comment(desk).focus()
    await comment(desk).blur()
    const started = performance.now()
    await comment(desk).pressSequentially(`At noon, <@${cast.bob.id}>`)
    // Once, after a pause of two seconds; on a busy machine, there may be such pauses between two keys.
    const mostSaves = 1 + Math.floor((performance.now() - started) / 2_000)
    await waitForValue(() => comment(phone).inputValue(), 'At noon, @Bob Moore')
    expect(saves.length).toBeGreaterThan(0)
    expect(saves.length).toBeLessThanOrEqual(mostSaves)

    await comment(phone).pressSequentially(', at the corner')
    await comment(phone).blur()
    await waitForValue(() => readTexts(cast, post.id), [`At noon, <@${cast.bob.id}>, at the corner`])
    await focus(desk)
    await waitForValue(() => comment(desk).inputValue(), 'At noon, @Bob Moore, at the corner')

    await comment(desk).press('Control+Enter')
    await waitForValue(() => readTexts(cast, post.id), [])
    await waitForValue(() => comment(phone).inputValue(), '')
    expect((await cast.ada.comments.list({ post_id: post.id })).total_count).toBe(1)
  })

  test('of two texts written at once, the one saved last is shown, and the other can be shown, used and discarded', async () => {
    const cast = await world()
    const post = await createPost(cast)
    const page = await openPage(cast, cast.ada, `/posts/${post.id}`, { expectedErrors: OFFLINE })
    await waitForVisible(comment(page))
    await page.context().setOffline(true)
    await comment(page).fill('Written on the train')
    await comment(page).blur()
    await cast.ada.drafts.save({ subject_id: post.id, content_markdown: 'Written at the desk' })
    await page.context().setOffline(false)
    await waitForValue(() => readTexts(cast, post.id), ['Written on the train', 'Written at the desk'])
    expect(await comment(page).inputValue()).toBe('Written on the train')

    const show = page.getByRole('button', { name: 'Show the other version' })
    const dialog = page.getByRole('dialog', { name: 'The other version' })
    await show.click()
    await waitForVisible(dialog.getByText('Written at the desk'))
    await dialog.getByRole('button', { name: 'Use this one' }).click()
    await waitForValue(() => comment(page).inputValue(), 'Written at the desk')
    await waitForValue(() => readTexts(cast, post.id), ['Written at the desk', 'Written on the train'])
    await waitForHidden(dialog)
    await comment(page).press('Control+Enter')
    await waitForValue(() => readTexts(cast, post.id), ['', 'Written on the train'])
    await show.click()
    await dialog.getByRole('button', { name: 'Discard' }).click()
    await waitForHidden(show)
    await waitForValue(() => readTexts(cast, post.id), [])
  })

  test('the page of drafts names their places, opens them, and discards them with Undo', async () => {
    const cast = await joinedWorld()
    const { ada, bob, vic, general } = cast
    const nobody = `mem_${'0'.repeat(26)}`
    const post = await createPost(cast)
    const answer = await bob.comments.create({ post_id: post.id, content_markdown: 'Noon' })
    const gone = await bob.posts.create({ channel_id: general.id, content_markdown: 'Gone' })
    await ada.drafts.save({ subject_id: gone.id, content_markdown: 'To nobody' })
    await bob.posts.delete({ id: gone.id })
    await ada.drafts.save({ subject_id: bob.id, content_markdown: `Hi ![a \\[b\\].png](file_${'0'.repeat(26)})\nBob` })
    await ada.drafts.save({
      subject_id: answer.id,
      content_markdown: `Fine, <@${bob.id}> \`<@${vic.id}>\` <@${nobody}>`,
    })
    for (const title of ['Yesterday', 'News'])
      await ada.drafts.save({ subject_id: general.id, title, content_markdown: '' })

    const page = await openPage(cast, ada, '/posts')
    const requests: string[] = []
    page.on('request', (request) => requests.push(`${request.method()} ${new URL(request.url()).pathname}`))
    await sidebar(page).getByRole('link', { name: 'Drafts' }).click()
    const rows = page.getByRole('main').getByRole('listitem')
    const row = (words: string) => rows.filter({ hasText: words })
    await waitForVisible(row('New post in #general').getByText('News'))
    await waitForVisible(row('Message to Bob Moore').getByText('Hi a [b].png', { exact: true }))
    await waitForVisible(row('No longer available').getByRole('button', { name: 'Copy text' }))
    await waitForVisible(sidebar(page).getByRole('link', { name: 'general Draft' }))
    await holdNotices(page)

    await row('News')
      .getByRole('button', { name: /^Discard/ })
      .click()
    await waitForVisible(row('Yesterday'))
    await page.getByRole('button', { name: 'Undo' }).click()
    await waitForVisible(row('News'))
    const texts = async () => (await ada.drafts.get({ subject_id: general.id })).others.map(({ title }) => title)
    await waitForValue(async () => (await texts()).join(), 'Yesterday')
    await row('No longer available')
      .getByRole('button', { name: /^Discard/ })
      .click()
    await waitForValue(async () => (await ada.drafts.list()).total_count, 3)
    await row('Reply to Bob Moore in “Lunch?”').getByRole('link', { name: /^Open/ }).click()
    await waitForValue(
      () => page.getByRole('textbox', { name: 'Reply to Bob Moore' }).inputValue(),
      `Fine, @Bob Moore \`<@${vic.id}>\` <@${nobody}>`,
    )
    // One request for all of the places.
    expect(requests.filter((request) => /^GET .v2.(channels|members)\/./.test(request))).toEqual([])
    // The names that this browser did not know, all at once.
    expect(requests.filter((request) => request === 'POST /v2/markdown').length).toBeLessThan(2)
  })
})

describe('checklists', () => {
  test('two people tick at once; who may not edit sees disabled boxes; a changed list is loaded again', async () => {
    const cast = await world()
    const { ada, root, bob, general } = cast
    const source = '- [ ] Bread\n- [ ] Butter\n- [x] Salt'
    const post = await ada.posts.create({ channel_id: general.id, title: 'Shopping', content_markdown: source })
    const path = `/posts/${post.id}`
    const pages = await Promise.all([
      openPage(cast, ada, path, { ...PHONE, expectedErrors: /ERR_FAILED|ERR_INTERNET_DISCONNECTED/ }),
      openPage(cast, root, path),
      openPage(cast, bob, path),
    ])
    const [mine, admins, others] = pages
    const box = (page: Page, name: string) => page.getByRole('checkbox', { name, exact: true })
    await Promise.all(pages.map((page) => waitForVisible(box(page, 'Bread'))))
    await Promise.all([box(mine, 'Bread').tap(), box(admins, 'Butter').press('Space')])
    for (const page of pages)
      for (const name of ['Bread', 'Butter', 'Salt']) await waitForValue(() => box(page, name).isChecked(), true)
    expect(await box(others, 'Bread').isDisabled()).toBe(true)
    await waitForValue(() => admins.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Butter')

    // What tells this page of the change comes after the click.
    const answered = mine.waitForResponse('**/checklist/*')
    await mine.route(`**/v2/posts/${post.id}`, (route) => answered.then(() => route.continue()))
    await mine.route('**/v2/events*', (route) => route.abort())
    const reconnecting = mine.waitForRequest('**/v2/events*')
    await mine.context().setOffline(true)
    await mine.context().setOffline(false)
    await reconnecting
    await holdNotices(mine)
    await root.posts.update({ id: post.id, content_markdown: '- [ ] Eggs\n- [ ] Bread' })
    await box(mine, 'Salt').evaluate((element: HTMLInputElement) => element.click())
    await waitForVisible(mine.getByText('The checklist has changed. Try again.'))
    await waitForValue(() => box(mine, 'Eggs').isChecked(), false)
  })
})

describe('drafts of formatted text', () => {
  const text = (page: Page) => richText(page, 'Comment')
  const items = (page: Page) => text(page).getByRole('listitem').allTextContents()
  const formatted = { isFormatted: true }
  const sourceOf = async ({ ada, raw }: World, post_id: string) => {
    const [comment] = (await ada.comments.list({ post_id })).data
    return (await raw(ada, `/v2/comments/${comment!.id}`, { headers: { Accept: 'text/markdown' } })).text()
  }

  test('are there after a reload and on the other device, with mentions and lists, and gone when they were sent', async () => {
    const cast = await world()
    const post = await createPost(cast)
    const path = `/posts/${post.id}`
    const desk = await openPage(cast, cast.ada, path, formatted)
    await text(desk).click()
    await desk.keyboard.type('**Noon**, @bob')
    await desk.getByRole('option', { name: 'Bob Moore' }).click()
    await desk.keyboard.type('\n- soup\ncake')
    await desk.reload()
    const phone = await openPage(cast, cast.ada, path, { ...formatted, ...PHONE })
    for (const page of [desk, phone]) {
      await waitForVisible(text(page).locator('strong').getByText('Noon', { exact: true }))
      await waitForVisible(text(page).locator('.mention').getByText('@Bob Moore', { exact: true }))
      await waitForValue(() => items(page), ['soup', 'cake'])
    }
    const written = `**Noon**, <@${cast.bob.id}>\n\n- soup\n- cake`
    await waitForValue(() => readTexts(cast, post.id), [written])

    await text(phone).focus()
    await phone.keyboard.press('Control+End')
    await phone.keyboard.type(' or pie')
    await text(phone).blur()
    await waitForValue(() => readTexts(cast, post.id), [`${written} or pie`])
    await focus(desk)
    await waitForValue(() => items(desk), ['soup', 'cake or pie'])

    await text(desk).press('Control+Enter')
    await waitForValue(() => readTexts(cast, post.id), [])
    await waitForValue(() => text(phone).textContent(), '')
    expect(await sourceOf(cast, post.id)).toBe(`${written} or pie`)
  })

  test('of two written at once, the other one can be shown and used', async () => {
    const cast = await world()
    const post = await createPost(cast)
    const page = await openPage(cast, cast.ada, `/posts/${post.id}`, { ...formatted, expectedErrors: OFFLINE })
    await waitForVisible(text(page))
    await page.context().setOffline(true)
    await text(page).click()
    await page.keyboard.type('From the **train**')
    await text(page).blur()
    await cast.ada.drafts.save({ subject_id: post.id, content_markdown: 'From the _desk_' })
    await page.context().setOffline(false)
    await waitForValue(() => readTexts(cast, post.id), ['From the **train**', 'From the _desk_'])
    await page.getByRole('button', { name: 'Show the other version' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Use this one' }).click()
    await waitForVisible(text(page).locator('em').getByText('desk', { exact: true }))
    await waitForValue(() => readTexts(cast, post.id), ['From the _desk_', 'From the **train**'])
  })

  test('are one in two tabs, also where one of them shows Markdown, and sent once', async () => {
    const cast = await world()
    const post = await createPost(cast)
    const page = await openPage(cast, cast.ada, `/posts/${post.id}`, formatted)
    const other = await page.context().newPage()
    await other.goto(page.url())
    await waitForVisible(text(other))
    await other.getByRole('form', { name: 'Comment' }).getByRole('switch', { name: 'Markdown' }).click()
    const area = other.locator('textarea.writing')
    await waitForVisible(area)
    await text(page).click()
    await page.keyboard.type('- **soup**\ncake')
    await waitForValue(() => area.inputValue(), '- **soup**\n- cake')
    await area.press('Control+End')
    await other.keyboard.type('\n_pie_')
    await waitForValue(() => items(page), ['soup', 'cake', 'pie'])
    await waitForVisible(text(page).locator('em').getByText('pie', { exact: true }))
    await text(page).press('Control+Enter')
    await waitForValue(() => area.inputValue(), '')
    await waitForValue(() => text(page).textContent(), '')
    await waitForValue(() => readTexts(cast, post.id), [])
    expect(await sourceOf(cast, post.id)).toBe('- **soup**\n- cake\n- _pie_')
    expect((await cast.ada.comments.list({ post_id: post.id })).total_count).toBe(1)
  })

  test('are whole when one comes back before another page is there', async () => {
    const cast = await world()
    const post = await createPost(cast)
    const page = await openPage(cast, cast.ada, `/posts/${post.id}`, formatted)
    await waitForVisible(text(page))
    await text(page).click()
    await page.keyboard.type('Half a **thought**')
    const loading = Promise.withResolvers<void>()
    await page.route('**/assets/settings-*', (route) => loading.promise.then(() => route.continue()))
    await sidebar(page).getByRole('link', { name: 'Browse channels' }).click()
    await waitForHidden(text(page))
    await page.goBack()
    await waitForVisible(text(page).locator('strong').getByText('thought', { exact: true }))
    loading.resolve()
    await text(page).focus()
    await page.keyboard.press('Control+End')
    await page.keyboard.type(' more')
    await waitForValue(() => readTexts(cast, post.id), ['Half a **thought more**'])
  })
})
