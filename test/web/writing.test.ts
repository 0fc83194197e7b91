import { describe, expect } from 'bun:test'
import type { Page } from 'playwright-core'
import { world } from '../world'
import {
  chooseChannel,
  openPage,
  PHONE,
  richText,
  test,
  waitForFocus,
  waitForHidden,
  waitForValue,
  waitForVisible,
} from './browser'

const area = (page: Page, name = 'Text') => page.getByRole('textbox', { name, exact: true })
const channelOf = (page: Page) =>
  page
    .getByRole('combobox', { name: /^Channel: / })
    .getAttribute('aria-label')
    .then((label) => label?.replace('Channel: ', ''))
const caretOf = (page: Page, name?: string) =>
  area(page, name).evaluate((element: HTMLTextAreaElement) => element.selectionStart)

describe('a new post', () => {
  test('goes to the channel it was started from, and its draft stays with that channel', async () => {
    const cast = await world()
    const news = await cast.root.channels.create({ name: 'news' })
    const ideas = await cast.root.channels.create({ name: 'ideas' })
    const page = await openPage(cast, cast.ada, `/posts/new?channel=${cast.general.id}`)
    await area(page).fill('First')
    await page.keyboard.press('Control+Enter')
    await page.waitForURL(/\/posts\/post_/)

    await page.goto(`${cast.baseUrl}/channels/${news.id}`)
    await waitForVisible(page.getByText('No posts yet'))
    await page.keyboard.press('c')
    await waitForValue(() => channelOf(page), 'news')
    await area(page).fill('By key')
    await page.keyboard.press('Control+Enter')
    await page.waitForURL(/\/posts\/post_/)
    await page.goto(`${cast.baseUrl}/channels/${ideas.id}`)
    await page.getByRole('button', { name: 'New post' }).first().click()
    await waitForValue(() => channelOf(page), 'ideas')
    await area(page).fill('By button')

    // A draft is found again with its channel, even if others were opened since.
    await page.goto(`${cast.baseUrl}/posts/new?channel=${news.id}`)
    await waitForValue(() => channelOf(page), 'news')
    expect(await area(page).inputValue()).toBe('')
    await page.goto(`${cast.baseUrl}/posts/new`)
    await waitForValue(() => area(page).inputValue(), 'By button')
    await waitForValue(() => channelOf(page), 'ideas')
    // Choosing another channel takes the draft along.
    await chooseChannel(page, 'news')
    await waitForValue(() => area(page).inputValue(), 'By button')
    await page.reload()
    await waitForValue(() => channelOf(page), 'news')
    await waitForValue(() => area(page).inputValue(), 'By button')
    await area(page).press('Control+Enter')
    await page.waitForURL(/\/posts\/post_/)
    const posts = (await cast.ada.posts.list({})).data
    expect(posts.map(({ channel, content }) => `${channel.name} ${content}`)).toEqual([
      'news <p>By button</p>',
      'news <p>By key</p>',
      'general <p>First</p>',
    ])
  })

  test('goes to the channel of the page, by button and by key, even while that is being loaded', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, '/posts')
    await waitForVisible(page.getByText('No posts yet'))
    const later = await cast.root.channels.create({ name: 'later' })
    const loading = Promise.withResolvers<void>()
    await page.route(/\/v2\/(channels|posts)/, (route) => loading.promise.then(() => route.continue()))
    for (const path of ['', '/files', '/about'])
      for (const press of [
        () => page.getByRole('button', { name: 'New post' }).first().click(),
        () => page.keyboard.press('c'),
      ]) {
        await page.goto(`${cast.baseUrl}/channels/${later.id}${path}`)
        await waitForVisible(page.getByRole('button', { name: 'New post' }).first())
        await press()
        await page.waitForURL(`**/posts/new?channel=${later.id}`)
      }
    loading.resolve()
    await waitForValue(() => channelOf(page), 'later')
  })

  test('two Enters leave a list, and the text goes on below it', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, `/posts/new?channel=${cast.general.id}`)
    await area(page).click()
    await page.keyboard.type('- one\n\ntwo')
    await waitForValue(() => area(page).inputValue(), '- one\n\ntwo')
    expect(await caretOf(page)).toBe(10)
    // In the middle of a text, too.
    await area(page).fill('- one\n- two\nend')
    await area(page).evaluate((element: HTMLTextAreaElement) => element.setSelectionRange(11, 11))
    await page.keyboard.type('\n\nmiddle')
    await waitForValue(() => area(page).inputValue(), '- one\n- two\n\nmiddle\nend')
    expect(await caretOf(page)).toBe(19)
    await page.keyboard.press('Control+Enter')
    await page.waitForURL(/\/posts\/post_/)
    const [post] = (await cast.ada.posts.list({})).data
    expect(post!.content).toBe('<ul>\n<li>one</li>\n<li>two</li>\n</ul>\n<p>middle<br />\nend</p>')
  })
})

describe('an edit', () => {
  /** Where the focus is, and whether a frame around it is visible. */
  const readFocus = (page: Page) =>
    page.evaluate(() => {
      const { activeElement } = document
      const label = activeElement?.getAttribute('aria-label') ?? activeElement?.className
      return { label, hasFrame: getComputedStyle(activeElement!).outlineStyle !== 'none' }
    })

  test('leaves the focus at what was edited, without a frame around the text', async () => {
    const cast = await world()
    const { ada, general } = cast
    const { id } = await ada.posts.create({ channel_id: general.id, title: 'Lunch', content_markdown: 'Soup?' })
    await ada.comments.create({ post_id: id, content_markdown: 'Or cake.' })
    await ada.comments.create({ post_id: id, content_markdown: 'Or tea.' })
    const page = await openPage(cast, ada, `/posts/${id}`)
    const post = page.getByRole('article', { name: 'Post' })
    const comment = page.getByRole('article', { name: 'Comment by Ada Lovelace' }).first()
    await waitForVisible(comment)
    for (const [leave, result] of [
      ['Control+Enter', 'Saved.'],
      ['Escape', 'Saved.'],
    ] as const) {
      await page.getByRole('button', { name: 'Post actions' }).press('Enter')
      await page.getByRole('menuitem', { name: 'Edit' }).press('Enter')
      if (leave !== 'Escape') await area(page).fill(result)
      await area(page).press(leave)
      await waitForVisible(post.getByText(result))
      await waitForValue(() => readFocus(page), { label: 'Post', hasFrame: false })
    }

    await comment.getByRole('button', { name: 'Comment actions' }).press('Enter')
    await page.getByRole('menuitem', { name: 'Edit' }).press('Enter')
    await area(page, 'Edit comment').fill('And cake.')
    await area(page, 'Edit comment').press('Control+Enter')
    await waitForVisible(comment.getByText('And cake.'))
    await waitForValue(() => readFocus(page), { label: 'Comment by Ada Lovelace', hasFrame: false })
    // The keys that move the focus from comment to comment show where it is.
    for (const key of ['j', 'k']) {
      await page.keyboard.press(key)
      await waitForValue(() => readFocus(page), { label: 'Comment by Ada Lovelace', hasFrame: true })
    }
  })

  test('of a message leaves the focus at its time, from where the next keys go on', async () => {
    const cast = await world()
    const { ada, bob } = cast
    const thread = await ada.threads.create({ title: 'Plans', member_ids: [bob.id] })
    for (const content_markdown of ['One', 'Two [link](https://example.com)', 'Three'])
      await ada.messages.create({ thread_id: thread.id, content_markdown })
    const page = await openPage(cast, ada, `/threads/${thread.id}`)
    const message = page.locator('.message').filter({ hasText: 'Two' })
    await message.locator('[data-message]').focus()
    await page.keyboard.press('e')
    await waitForFocus(area(page, 'Edit message'))
    await page.keyboard.type('!')
    await page.keyboard.press('Enter')
    await waitForVisible(message.getByText('edited'))
    await waitForValue(
      () => message.locator('[data-message]').evaluate((link) => link === document.activeElement),
      true,
    )
    await page.keyboard.press('j')
    await waitForValue(
      () => page.evaluate(() => document.activeElement?.closest('.message')?.textContent?.includes('Three')),
      true,
    )
  })
})

describe('an edit of formatted text', () => {
  test('of a comment and of a message is kept by a reload, can be discarded, and is saved by its key', async () => {
    const cast = await world()
    const { ada, bob, general, raw } = cast
    const post = await ada.posts.create({ channel_id: general.id, title: 'Lunch', content_markdown: 'Soup?' })
    const thread = await ada.threads.create({ title: 'Plans', member_ids: [bob.id] })
    const content_markdown = `**Cake** for <@${bob.id}>`
    const comment = await ada.comments.create({ post_id: post.id, content_markdown })
    const message = await ada.messages.create({ thread_id: thread.id, content_markdown })
    for (const [path, record, kind, key] of [
      [`/posts/${post.id}`, comment, 'comment', 'Control+Enter'],
      [`/threads/${thread.id}`, message, 'message', 'Enter'],
    ] as const) {
      const page = await openPage(cast, ada, path, { isFormatted: true })
      const text = richText(page, `Edit ${kind}`)
      const shown = page.locator(`#${record.id}`)
      const edit = async () => {
        await shown.hover()
        await shown.getByRole('button', { name: new RegExp(`${kind} actions`, 'i') }).click()
        await page.getByRole('menuitem', { name: 'Edit' }).click()
        await waitForFocus(text)
      }
      await edit()
      await waitForVisible(text.locator('.mention').getByText('@Bob Moore', { exact: true }))
      await page.keyboard.type(' and _tea_')
      await waitForVisible(text.locator('em').getByText('tea', { exact: true }))
      await page.reload()
      await waitForVisible(shown)
      await edit()
      await waitForVisible(text.locator('em').getByText('tea', { exact: true }))
      await page.getByRole('button', { name: 'Discard' }).click()
      await waitForHidden(text.locator('em'))
      await text.focus()
      await page.keyboard.type(' and _pie_')
      await page.keyboard.press(key)
      await waitForVisible(shown.locator('.content:not(.rich) em').getByText('pie', { exact: true }))
      const source = await raw(ada, `/v2/${kind}s/${record.id}`, { headers: { Accept: 'text/markdown' } })
      expect(await source.text()).toBe(`${content_markdown} and _pie_`)
    }
  })
})

describe('in threads', () => {
  test('Enter sends and Shift+Enter breaks the line, unless the member turned it off', async () => {
    const cast = await world()
    const thread = await cast.ada.threads.create({ title: 'Plans', member_ids: [cast.bob.id] })
    const messages = async () => (await cast.ada.messages.list({ thread_id: thread.id })).data.map((one) => one.content)
    const page = await openPage(cast, cast.ada, `/threads/${thread.id}`)
    const text = area(page, 'Message')
    await text.click()
    await page.keyboard.type('- one')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('two')
    await waitForValue(() => text.inputValue(), '- one\n- two')
    // Enter that ends a composition of an input method does not send.
    await text.dispatchEvent('keydown', { key: 'Enter', keyCode: 229, bubbles: true, cancelable: true })
    await text.dispatchEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true })
    await page.keyboard.type('!')
    await page.keyboard.press('Enter')
    await waitForValue(messages, ['<ul>\n<li>one</li>\n<li>two!</li>\n</ul>'])
    await waitForValue(() => text.inputValue(), '')

    const other = await openPage(cast, cast.ada, '/settings/appearance')
    const choice = other.getByRole('checkbox', { name: 'Enter sends messages in threads' })
    await waitForValue(() => choice.isChecked(), true)
    await choice.click()
    await waitForValue(async () => (await cast.ada.me.getPreferences()).enter_sends, false)
    await page.reload()
    const send = page.getByRole('button', { name: 'Send' })
    await waitForValue(() => send.getAttribute('aria-keyshortcuts'), 'Control+Enter')
    await text.click()
    await page.keyboard.type('three\nfour')
    await waitForValue(() => text.inputValue(), 'three\nfour')
    await page.keyboard.press('Control+Enter')
    await waitForValue(async () => (await messages()).length, 2)
  })

  test('on a phone, Enter breaks the line, and tools are large enough', async () => {
    const cast = await world()
    const thread = await cast.ada.threads.create({ title: 'Plans', member_ids: [cast.bob.id] })
    const page = await openPage(cast, cast.ada, `/threads/${thread.id}`, PHONE)
    const text = area(page, 'Message')
    await text.tap()
    await page.keyboard.type('one\ntwo')
    await waitForValue(() => text.inputValue(), 'one\ntwo')
    const buttons = page.getByRole('form', { name: 'Message' }).locator('button:visible')
    const sizes = await buttons.evaluateAll((all) => all.map((button) => button.getBoundingClientRect()))
    expect(sizes).toHaveLength(11)
    for (const { width, height } of sizes) expect(Math.min(width, height)).toBeGreaterThanOrEqual(44)
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    await page.getByRole('button', { name: 'Send' }).tap()
    await waitForVisible(page.getByRole('listitem').getByText('one'))
  })
})

describe('keyboard shortcuts', () => {
  test('each key is listed once, with what it does here', async () => {
    const cast = await world()
    const post = await cast.ada.posts.create({ channel_id: cast.general.id, content_markdown: 'Hi' })
    const page = await openPage(cast, cast.ada, `/posts/${post.id}`)
    await waitForVisible(area(page, 'Comment'))
    await page.keyboard.press('?')
    const help = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await waitForVisible(help)
    // While writing, Ctrl+K makes a link of the selected text.
    const sections = help.locator('section', { hasNot: page.getByRole('heading', { name: 'While writing' }) })
    const keys = await sections.getByRole('term').allTextContents()
    expect(keys.filter((key, at) => keys.indexOf(key) !== at)).toEqual([])
    const entry = help.locator('dl > div').filter({ has: page.getByRole('term').getByText('c', { exact: true }) })
    expect(await entry.getByRole('definition').textContent()).toBe('Comment')
  })
})
