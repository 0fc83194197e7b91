import { describe, expect } from 'bun:test'
import type { Locator, Page } from 'playwright-core'
import { type World, world } from '../world'
import {
  chooseChannel,
  openPage,
  PHONE,
  richText,
  test,
  waitForActive,
  waitForFocus,
  waitForHidden,
  waitForValue,
  waitForVisible,
} from './browser'

const text = (page: Page, name = 'Text') => page.getByRole('textbox', { name, exact: true })
const title = (page: Page) => text(page, 'Title')
const chip = (page: Page) => page.getByRole('combobox', { name: /^Channel: / })
const tools = (page: Page) => page.getByRole('toolbar', { name: 'Formatting' })
const publish = (page: Page) => page.getByRole('button', { name: 'Publish' })
const note = (page: Page, words: string) => page.getByRole('status').getByText(words, { exact: true })
const boxOf = async (locator: Locator) => (await locator.boundingBox())!
const LONG = Array.from({ length: 60 }, (_, at) => `Line ${at + 1}`).join('\n\n')

/** Where an element stands and how its text is set. */
const readType = (locator: Locator) =>
  locator.evaluate((element) => {
    const { fontSize, fontWeight, lineHeight, letterSpacing } = getComputedStyle(element)
    const { left, width } = element.getBoundingClientRect()
    return { fontSize, fontWeight, lineHeight, letterSpacing, left, width }
  })

/** Whether all of an element is in the window. */
const isInView = (locator: Locator) =>
  locator.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    return top >= 0 && bottom <= innerHeight && bottom > top
  })

describe('a new post', () => {
  test('is set as it will be read: the title is the heading, Enter goes on to the text, and both stay where they are', async () => {
    const cast = await world()
    const page = await openPage(cast, cast.ada, `/posts/new?channel=${cast.general.id}`)
    await waitForFocus(title(page))
    await page.keyboard.type('What changes on Monday')
    await waitForVisible(page.getByRole('heading', { level: 1 }).filter({ has: title(page) }))
    const [titleType, oneLine] = [await readType(title(page)), (await boxOf(title(page))).height]
    await page.keyboard.press('Enter')
    await waitForFocus(text(page))
    await page.keyboard.type('From Monday on.')
    const textType = await readType(text(page))
    // A long title grows, and what is pasted into it is one line.
    await title(page).fill(`What changes\nwith ${'a long release '.repeat(6)}`)
    expect(await title(page).inputValue()).toStartWith('What changes with a long')
    expect((await boxOf(title(page))).height).toBe(2 * oneLine)

    await title(page).fill('What changes on Monday')
    await publish(page).click()
    await page.waitForURL(/\/posts\/post_/)
    const read = page.getByRole('article', { name: 'Post' }).locator('.content')
    await waitForVisible(read)
    expect(await readType(page.getByRole('heading', { level: 1 }))).toEqual(titleType)
    expect(await readType(read)).toEqual({ ...textType, fontWeight: '400' })
  })

  test('keeps its top row and its tools in view while a long text is scrolled, also on a phone above the keyboard', async () => {
    const cast = await world()
    for (const size of [{ width: 1280, height: 600 }, PHONE]) {
      const page = await openPage(cast, cast.ada, `/posts/new?channel=${cast.general.id}`, size)
      await text(page).fill(LONG)
      for (const line of ['End', 'Home']) {
        await text(page).press(`Control+${line}`)
        for (const shown of [publish(page), tools(page)]) await waitForValue(() => isInView(shown), true)
      }
      const row = await boxOf(publish(page))
      // The line with the caret is not behind it.
      expect((await boxOf(text(page))).y).toBeGreaterThanOrEqual(row.y + row.height)
      if (size !== PHONE) continue

      // What a browser reports when the keyboard of a phone opens: there is none in this one.
      await page.evaluate(() => {
        Object.defineProperty(visualViewport, 'height', { get: () => 500 })
        visualViewport!.dispatchEvent(new Event('resize'))
      })
      await waitForValue(async () => {
        const { y, height } = await boxOf(tools(page))
        return y + height <= 500 && y + height > 440
      }, true)
      expect((await boxOf(publish(page))).y).toBeLessThan(60)
      // The chip is below the row, and scrolls with the text.
      await page.getByRole('form', { name: 'Text' }).evaluate((form) => form.scrollTo(0, 0))
      expect((await boxOf(chip(page))).y).toBeGreaterThan((await boxOf(publish(page))).y)
      await page.getByRole('button', { name: 'Close' }).tap()
      await page.waitForURL(`**/channels/${cast.general.id}`)
    }
  })

  test('goes to a channel that is found by name or description, and not to one where nobody can post', async () => {
    const cast = await world()
    const { root, ada } = cast
    const create = (name: string, description = '') => root.channels.create({ name, description })
    for (const name of ['project-10', 'project-2', 'Product']) await create(name)
    await create('sales', 'Projects of our customers')
    const old = await create('old-project')
    await root.channels.delete({ id: old.id })
    const [page, admin] = [
      await openPage(cast, ada, '/posts/new?channel=new'),
      await openPage(cast, root, '/posts/new'),
    ]
    for (const each of [page, admin]) {
      await chip(each).click()
      await waitForFocus(each.getByRole('combobox', { name: 'Find a channel' }))
      await each.keyboard.type('pro')
    }
    const options = (each: Page) => each.getByRole('listbox').getByRole('option')
    const names = (each: Page) => options(each).locator('b').allTextContents()
    await waitForValue(() => names(page), ['Product', 'project-2', 'project-10', 'sales'])
    expect(await options(page).first().locator('mark').textContent()).toBe('Pro')
    expect(await options(page).last().locator('mark').textContent()).toBe('Pro')
    expect(await options(page).first().textContent()).toContain('1 member')
    expect(await page.locator('.picker-keys').innerText()).toMatch(/Move.*Choose.*Close/s)

    await waitForValue(() => names(admin), ['Product', 'project-2', 'project-10', 'sales', 'old-project'])
    const closed = options(admin).last()
    expect(await closed.getAttribute('aria-disabled')).toBe('true')
    await waitForVisible(closed.getByText('Archived: nobody can post here'))

    const find = page.getByRole('combobox', { name: 'Find a channel' })
    await waitForActive(find, options(page).first())
    await page.keyboard.press('ArrowDown')
    await waitForActive(find, options(page).nth(1))
    await page.keyboard.press('Enter')
    await waitForValue(() => chip(page).getAttribute('aria-label'), 'Channel: project-2')
    await waitForHidden(find)
    await chip(page).click()
    await page.keyboard.type('nothing like it')
    await waitForVisible(page.getByText('No results for “nothing like it”'))
    await page.keyboard.press('Escape')
    await waitForHidden(find)
    await waitForValue(() => chip(page).getAttribute('aria-label'), 'Channel: project-2')
  })

  test('says who gets it, that publishing joins the channel, and where its draft is by now', async () => {
    const cast = await world()
    const { ada, root } = cast
    const news = await root.channels.create({ name: 'news' })
    await root.channels.addMember({ channel_id: news.id, member_id: cast.bob.id })
    const page = await openPage(cast, ada, `/posts/new?channel=${news.id}`, {
      expectedErrors: /ERR_INTERNET_DISCONNECTED|Failed to fetch/,
    })
    const facts = page.getByRole('complementary', { name: 'About this post' })
    await waitForVisible(facts.getByText('2 members of #news'))
    await waitForVisible(facts.getByText('You join it when you publish.'))

    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/v2/drafts/*', (route) => held.then(() => route.continue()))
    await text(page).fill('Saved')
    await waitForVisible(note(page, 'Saving draft…'))
    release()
    await waitForVisible(note(page, 'Draft saved'))
    expect((await ada.drafts.get({ subject_id: news.id })).content_markdown).toBe('Saved')

    await page.context().setOffline(true)
    await text(page).fill('Saved here')
    await waitForVisible(note(page, 'Saved on this device only'))
    await page.context().setOffline(false)
    await waitForVisible(note(page, 'Draft saved'))
    expect((await ada.drafts.get({ subject_id: news.id })).content_markdown).toBe('Saved here')
    await text(page).fill('')
    await waitForHidden(note(page, 'Draft saved'))

    await text(page).fill('Published')
    await publish(page).click()
    await page.waitForURL(/\/posts\/post_/)
    const sidebar = page.getByRole('navigation', { name: 'Sidebar' })
    await waitForVisible(sidebar.getByRole('link', { name: 'news', exact: true }))
    await page.goto(`${cast.baseUrl}/posts/new?channel=${news.id}`)
    await waitForVisible(facts.getByText('3 members of #news'))
    expect(await facts.getByText('You join it when you publish.').count()).toBe(0)
  })

  test('is not offered to those who cannot post: they read what to do', async () => {
    const cast = await world()
    for (const [who, words] of [
      [cast.vic, 'An admin can change your role.'],
      [cast.gus, 'to add you to one.'],
    ] as const) {
      const page = await openPage(cast, who, '/posts/new')
      await waitForVisible(page.getByRole('main').getByText(words))
      expect(await page.getByRole('textbox').count()).toBe(0)
    }
    // Once a guest is in a channel, there is something to write in.
    await cast.root.channels.addMember({ channel_id: cast.general.id, member_id: cast.gus.id })
    const page = await openPage(cast, cast.gus, '/posts/new')
    await waitForValue(() => chip(page).getAttribute('aria-label'), 'Channel: general')
  })
})

describe('mentions', () => {
  const notes = (page: Page, form = 'Text') =>
    page.getByRole('form', { name: form, exact: true }).locator('.mention-notes')
  const mention = async (page: Page, name: string) => {
    await page.keyboard.type(`@${name.split(' ')[0]}`)
    await page.getByRole('option', { name }).first().click()
  }
  const secret = async ({ root, ada }: World) => {
    const channel = await root.channels.create({ name: 'product', private: true })
    await root.channels.addMember({ channel_id: channel.id, member_id: ada.id })
    return channel
  }

  test('of someone without access are told while writing a post, and who may adds them', async () => {
    const cast = await world()
    const { ada, root, bob } = cast
    const { id } = await secret(cast)
    const [member, admin] = [
      await openPage(cast, ada, `/posts/new?channel=${id}`),
      await openPage(cast, root, `/posts/new?channel=${id}`),
    ]
    for (const page of [member, admin]) {
      await text(page).click()
      await mention(page, 'Bob Moore')
    }
    await waitForVisible(notes(member).getByText('Bob Moore cannot see #product, so they are not notified.'))
    expect(await notes(member).getByRole('button').count()).toBe(0)
    await waitForVisible(notes(admin).getByText('Bob Moore cannot see #product.'))
    const facts = admin.getByRole('complementary', { name: 'About this post' })
    await waitForVisible(facts.getByText('2 members of #product'))
    await notes(admin).getByRole('button', { name: 'Add to #product' }).click()
    await waitForHidden(notes(admin).getByText('Bob Moore cannot see #product.'))
    await waitForVisible(facts.getByText('3 members of #product'))
    await waitForVisible(facts.getByText('Bob Moore', { exact: true }))
    expect((await bob.channels.get({ id })).name).toBe('product')
    // What is known is only told: the post can be published.
    await publish(member).click()
    await member.waitForURL(/\/posts\/post_/)
  })

  test('in formatted text are told and kept in the draft, also when their name was typed in full before', async () => {
    const cast = await world()
    const { root, ada, bob } = cast
    const { id } = await secret(cast)
    const design = await root.groups.create({ name: 'design' })
    for (const each of [ada, bob]) await root.groups.addMember({ group_id: design.id, member_id: each.id })
    const page = await openPage(cast, ada, `/posts/new?channel=${id}`, { isFormatted: true })
    await richText(page).click()
    await page.keyboard.type('Look, @design')
    await waitForVisible(page.getByRole('option', { name: /design/ }))
    const readDraft = async () => (await ada.drafts.get({ subject_id: id }).catch(() => undefined))?.content_markdown
    await waitForValue(readDraft, 'Look, @design')
    await page.keyboard.press('Enter')
    await waitForVisible(notes(page).getByText('@design notifies nobody. 1 person of the group cannot see #product.'))
    await waitForValue(readDraft, `Look, <@${design.id}>`)
  })

  test('are told on a phone in full, however far the text is scrolled', async () => {
    const cast = await world()
    const { id } = await secret(cast)
    const page = await openPage(cast, cast.ada, `/posts/new?channel=${id}`, PHONE)
    await text(page).fill(`${LONG}\n\n@Bob Moore`)
    await text(page).press('Control+Enter')
    const told = notes(page).getByText('Bob Moore cannot see #product, so they are not notified.')
    await waitForVisible(told)
    for (const top of [0, 20, 40, 60]) {
      await page.getByRole('form', { name: 'Text' }).evaluate((form, to) => form.scrollTo(0, to), top)
      const isCovered = await told.evaluate((element) => {
        const { left, bottom } = element.getBoundingClientRect()
        return !element.contains(document.elementFromPoint(left + 4, bottom - 4))
      })
      expect([top, isCovered]).toEqual([top, false])
    }
    // The cross stands beside the button, not in the middle of the notes.
    const boxes = [await boxOf(publish(page)), await boxOf(page.getByRole('button', { name: 'Close' }).locator('svg'))]
    const [button, cross] = boxes.map(({ y, height }) => y + height / 2)
    expect(Math.abs(button! - cross!)).toBeLessThanOrEqual(1)
  })

  test('that were sent before anything could be shown are told first, in comments and messages, too', async () => {
    const cast = await world()
    const { ada, bob, vic } = cast
    const { id: channel_id } = await secret(cast)
    const post = await ada.posts.create({ channel_id, title: 'Plan', content_markdown: 'Ready?' })
    const thread = await ada.threads.create({ title: 'Plans', member_ids: [vic.id] })
    for (const [path, name, place, send] of [
      [`/posts/${post.id}`, 'Comment', '#product', 'Control+Enter'],
      [`/threads/${thread.id}`, 'Message', 'this thread', 'Enter'],
    ] as const) {
      const page = await openPage(cast, ada, path)
      let release = () => {}
      const sent = new Promise<void>((resolve) => {
        release = resolve
      })
      await page.route('**/v2/audience*', (route) => sent.then(() => route.continue()))
      await text(page, name).click()
      await mention(page, 'Bob Moore')
      await text(page, name).press(send)
      release()
      await waitForVisible(notes(page, name).getByText(`Bob Moore cannot see ${place}`))
      await waitForVisible(notes(page, name).getByText('Not sent yet.'))
      if (name === 'Message') {
        await notes(page, name).getByRole('button', { name: 'Add to this thread' }).click()
        await waitForHidden(notes(page, name).getByText('Bob Moore cannot see this thread'))
        expect((await bob.threads.get({ id: thread.id })).title).toBe('Plans')
        await text(page, name).press(send)
        await waitForValue(async () => (await ada.messages.list({ thread_id: thread.id })).total_count, 1)
      } else {
        await notes(page, name).getByRole('button', { name: 'Send anyway' }).click()
        await waitForValue(async () => (await ada.comments.list({ post_id: post.id })).total_count, 1)
      }
      await waitForHidden(notes(page, name).getByText('Bob Moore cannot see'))
    }
  })

  test('that were typed by hand are told before a post is published, for each channel anew', async () => {
    const cast = await world()
    const { ada, root } = cast
    await secret(cast)
    const hidden = await root.channels.create({ name: 'payroll', private: true })
    await root.channels.addMember({ channel_id: hidden.id, member_id: ada.id })
    const page = await openPage(cast, ada, `/posts/new?channel=${cast.general.id}`)
    await text(page).fill('@Bob Moore, is this right?')
    for (const name of ['product', 'payroll']) {
      // Nothing can be shown before.
      const sent = Promise.withResolvers<void>()
      await page.route('**/v2/audience*', (route) => sent.promise.then(() => route.continue()))
      await chooseChannel(page, name)
      await text(page).press('Control+Enter')
      sent.resolve()
      await waitForVisible(notes(page).getByText(`Bob Moore cannot see #${name}`))
      await waitForVisible(notes(page).getByText('Not sent yet.'))
    }
    await notes(page).getByRole('button', { name: 'Send anyway' }).click()
    await page.waitForURL(/\/posts\/post_/)
  })

  test('in a message that is edited, and in the note of a resolution, are told, too', async () => {
    const cast = await world()
    const { ada, vic } = cast
    const { id: channel_id } = await secret(cast)
    const post = await ada.posts.create({ channel_id, title: 'Plan', content_markdown: 'Ready?' })
    const thread = await ada.threads.create({ title: 'Plans', member_ids: [vic.id] })
    await ada.messages.create({ thread_id: thread.id, content_markdown: 'Ready?' })

    const page = await openPage(cast, ada, `/threads/${thread.id}`)
    await page.getByText('Ready?').last().hover()
    await page.getByRole('button', { name: 'Message actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await waitForValue(() => text(page, 'Edit message').inputValue(), 'Ready?')
    await text(page, 'Edit message').fill('Ready, @Bob Moore?')
    await text(page, 'Edit message').press('Control+Enter')
    await waitForVisible(notes(page, 'Edit message').getByText('Bob Moore cannot see this thread.'))

    await page.goto(`${cast.baseUrl}/posts/${post.id}`)
    await page.getByRole('button', { name: 'Resolve', exact: true }).click()
    await text(page, 'Note').fill('Thanks to @Bob Moore')
    await text(page, 'Note').press('Control+Enter')
    await waitForVisible(notes(page, 'Note').getByText('Bob Moore cannot see #product'))
    await notes(page, 'Note').getByRole('button', { name: 'Send anyway' }).click()
    await waitForVisible(page.getByRole('region', { name: 'Resolution' }).getByText('Thanks to'))
  })

  test('of more people than can be added at once say how many are added', async () => {
    const cast = await world()
    const { root } = cast
    const { id } = await secret(cast)
    const design = await root.groups.create({ name: 'design' })
    for (let at = 0; at < 22; at++) {
      const who = await root.members.create({ email: `d${at}@example.com`, display_name: `Dee ${at}`, role: 'member' })
      await root.groups.addMember({ group_id: design.id, member_id: who.id })
    }
    const page = await openPage(cast, root, `/posts/new?channel=${id}`)
    await text(page).click()
    await mention(page, 'design')
    await notes(page).getByRole('button', { name: 'Add 20 of them to #product' }).click()
    await notes(page).getByRole('button', { name: 'Add to #product' }).click()
    await waitForVisible(notes(page).getByText('@design notifies 22 people.'))
  })

  test('in the first message of a new thread are told, and those who are added get it', async () => {
    const cast = await world()
    const { ada, root, bob, gus } = cast
    const design = await root.groups.create({ name: 'design' })
    for (const { id } of [ada, bob, cast.vic]) await root.groups.addMember({ group_id: design.id, member_id: id })
    const page = await openPage(cast, ada, `/threads/new?with=${cast.vic.id}`)
    await waitForVisible(page.getByRole('heading', { name: 'New direct message' }))
    const message = page.getByRole('form', { name: 'Message', exact: true }).getByRole('textbox')
    await message.click()
    await mention(page, 'Bob Moore')
    // It is told even if the message is sent at once.
    await message.press('Enter')
    await waitForVisible(notes(page, 'Message').getByText('Bob Moore cannot see this thread.'))
    await waitForVisible(notes(page, 'Message').getByText('Not sent yet.'))
    await notes(page, 'Message').getByRole('button', { name: 'Add to this thread' }).click()
    await waitForHidden(notes(page, 'Message').getByText('Bob Moore cannot see this thread.'))
    await waitForVisible(page.getByRole('heading', { name: 'New thread' }))
    await waitForVisible(page.getByRole('button', { name: 'Remove Bob Moore' }))

    await message.press('Control+End')
    await page.keyboard.type(' and @design')
    await page.getByRole('option', { name: 'design' }).click()
    await waitForVisible(notes(page, 'Message').getByText('@design notifies 2 people.'))
    // Nobody can write to who was deactivated.
    const eve = await root.members.create({ email: 'eve@example.com', display_name: 'Eve Adams', role: 'member' })
    await root.groups.addMember({ group_id: design.id, member_id: eve.id })
    await root.members.update({ id: eve.id, is_deactivated: true })
    await page.getByRole('button', { name: 'Remove Bob Moore' }).click()
    await waitForVisible(
      notes(page, 'Message').getByText('@design notifies 1 person. 1 person of the group cannot see this thread.'),
    )
    await notes(page, 'Message').getByRole('button', { name: 'Add to this thread' }).last().click()
    await waitForVisible(page.getByRole('button', { name: 'Remove Bob Moore' }))
    await message.press('Control+End')
    await message.press('Enter')
    await page.waitForURL(/\/threads\/thr_/)
    await waitForValue(async () => (await bob.threads.list({})).total_count, 1)
    expect((await gus.threads.list({})).total_count).toBe(0)
  })

  test('of many say how many they reach, and offline nothing is told and nothing waits for it', async () => {
    const cast = await world()
    const { ada, root, bob, vic, general } = cast
    for (const { id } of [ada, bob, vic]) await root.channels.addMember({ channel_id: general.id, member_id: id })
    const design = await root.groups.create({ name: 'design' })
    for (const { id } of [bob, cast.gus]) await root.groups.addMember({ group_id: design.id, member_id: id })
    await root.drafts.save({
      subject_id: general.id,
      title: 'Today',
      content_markdown: `<@channel> and <@${design.id}>`,
      version: 0,
    })
    const page = await openPage(cast, root, `/posts/new?channel=${general.id}`, {
      expectedErrors: /ERR_INTERNET_DISCONNECTED|Failed to fetch/,
    })
    await waitForVisible(notes(page).getByText('@channel notifies 3 people.'))
    await waitForVisible(notes(page).getByText('@design notifies 1 person. 1 person of the group cannot see #general.'))
    const facts = page.getByRole('complementary', { name: 'About this post' })
    await waitForVisible(facts.getByText('Everyone in #general'))
    await waitForVisible(facts.getByText('1 person in @design'))

    await page.context().setOffline(true)
    await waitForHidden(notes(page).getByText('@channel notifies 3 people.'))
    await text(page).press('Control+Enter')
    await page.waitForURL(`**/channels/${general.id}`)
    await page.context().setOffline(false)
    await waitForValue(async () => (await root.posts.list({})).total_count, 1)
  })
})

describe('editing a post', () => {
  const edit = async (page: Page) => {
    await page.getByRole('button', { name: 'Post actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await waitForFocus(text(page))
  }
  /** How often a text is on the page, in fields and outside of them. */
  const countShown = (page: Page, words: string) =>
    page.getByRole('main').evaluate((main: HTMLElement, wanted) => {
      const fields = [...main.querySelectorAll('textarea')].map(({ value }) => value)
      return [main.innerText, ...fields].join('\n').split(wanted).length - 1
    }, words)

  test('shows the title once, as the heading where it was given, and in the text where it was its first line', async () => {
    const cast = await world()
    const { ada, general } = cast
    const given = await ada.posts.create({ channel_id: general.id, title: 'Lunch', content_markdown: 'Soup?' })
    const derived = await ada.posts.create({ channel_id: general.id, content_markdown: 'Dinner\n\nCake?' })
    const page = await openPage(cast, ada, `/posts/${given.id}`)
    const place = await boxOf(page.getByRole('heading', { level: 1 }))
    await edit(page)
    expect(await countShown(page, 'Lunch')).toBe(1)
    expect(await title(page).inputValue()).toBe('Lunch')
    const { x, y } = await boxOf(title(page))
    expect([x, Math.abs(y - place.y) < 24]).toEqual([place.x, true])

    await title(page).fill('Late lunch')
    await page.getByRole('button', { name: 'Discard' }).click()
    await waitForValue(() => title(page).inputValue(), 'Lunch')
    await title(page).fill('Late lunch')
    await page.reload()
    await edit(page)
    // It was kept, as the text is.
    await waitForValue(() => title(page).inputValue(), 'Late lunch')
    await title(page).press('Control+Enter')
    await waitForValue(async () => (await ada.posts.get({ id: given.id })).title, 'Late lunch')
    await waitForValue(() => page.getByRole('heading', { level: 1 }).textContent(), 'Late lunch')
    await edit(page)
    expect(await page.getByRole('button', { name: 'Discard' }).count()).toBe(0)
    await page.getByRole('button', { name: 'Cancel' }).click()

    await page.goto(`${cast.baseUrl}/posts/${derived.id}`)
    await edit(page)
    expect(await countShown(page, 'Dinner')).toBe(1)
    expect(await title(page).inputValue()).toBe('')
    await text(page).press('Control+End')
    await page.keyboard.type(' Or pie?')
    await page.keyboard.press('Control+Enter')
    await waitForVisible(page.getByRole('article', { name: 'Post' }).getByText('Cake? Or pie?'))
    expect((await ada.posts.get({ id: derived.id })).title).toBe('Dinner')
    await edit(page)
    await page.getByRole('button', { name: 'Cancel' }).click()
    await waitForVisible(page.getByRole('article', { name: 'Post' }))
  })
})

describe('formatted text', () => {
  test('is what a post is written and edited in: the title leads to it, and editing begins at its end', async () => {
    const cast = await world()
    const { ada, general } = cast
    const page = await openPage(cast, ada, `/posts/new?channel=${general.id}`, { isFormatted: true })
    const rich = page.locator('form[aria-label=Text] [contenteditable=true][data-writing]')
    await waitForVisible(rich)
    await title(page).fill('Plan')
    await title(page).press('Enter')
    await waitForFocus(rich)
    await page.keyboard.type('See **this** now')
    await waitForVisible(rich.locator('strong').getByText('this', { exact: true }))
    await page.keyboard.press('Control+Enter')
    await page.waitForURL(/\/posts\/post_/)
    await waitForVisible(
      page.getByRole('article', { name: 'Post' }).locator('strong').getByText('this', { exact: true }),
    )

    // With a text in which something else than the text can take the focus.
    const content_markdown = 'Run it.\n\n```js\nrun()\n```\n\nThen wait'
    const { id } = await ada.posts.create({ channel_id: general.id, title: 'Code', content_markdown })
    await page.goto(`${cast.baseUrl}/posts/${id}`)
    await page.getByRole('button', { name: 'Post actions' }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await waitForFocus(rich)
    await page.keyboard.type(' a bit')
    await page.getByRole('button', { name: 'Save' }).click()
    await waitForVisible(page.getByRole('article', { name: 'Post' }).getByText('Then wait a bit'))
  })
})

describe('on a phone, the tools of formatted text', () => {
  test('are above the keyboard, also those of comments and messages', async () => {
    const cast = await world()
    const { ada, bob, general } = cast
    const post = await ada.posts.create({ channel_id: general.id, title: 'Lunch', content_markdown: LONG })
    const thread = await ada.threads.create({ title: 'Plans', member_ids: [bob.id] })
    for (const [path, name] of [
      [`/posts/new?channel=${general.id}`, 'Text'],
      [`/posts/${post.id}`, 'Comment'],
      [`/threads/${thread.id}`, 'Message'],
    ] as const) {
      const page = await openPage(cast, ada, path, { ...PHONE, isFormatted: true })
      const rich = richText(page, name)
      await waitForVisible(rich)
      await rich.tap()
      await page.keyboard.type('one **two**')
      await page.evaluate(() => {
        Object.defineProperty(visualViewport, 'height', { get: () => 500 })
        visualViewport!.dispatchEvent(new Event('resize'))
      })
      const form = page.getByRole('form', { name, exact: true })
      const bar = form.getByRole('toolbar', { name: 'Formatting' })
      await waitForValue(async () => {
        const { y, height } = await boxOf(bar)
        return y + height <= 500 && y > 400
      }, true)
      // What is tapped keeps the focus in the text, and so the keyboard.
      await bar.getByRole('button', { name: 'List', exact: true }).tap()
      await waitForVisible(rich.getByRole('listitem').filter({ hasText: 'one two' }))
      await waitForFocus(rich)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(PHONE.width)
    }
  })
})

describe('the composer of comments and messages', () => {
  test('has one row of actions, which stays in view while a long text is written', async () => {
    const cast = await world()
    const { ada, bob, general } = cast
    const post = await ada.posts.create({ channel_id: general.id, title: 'Lunch', content_markdown: 'Soup?' })
    await bob.comments.create({ post_id: post.id, content_markdown: 'Cake.' })
    const thread = await ada.threads.create({ title: 'Plans', member_ids: [bob.id] })
    for (const size of [{ width: 1280, height: 420 }, PHONE])
      for (const [path, name, button] of [
        [`/posts/${post.id}`, 'Comment', 'Comment'],
        [`/posts/${post.id}`, 'Reply to Bob Moore', 'Reply'],
        [`/threads/${thread.id}`, 'Message', 'Send'],
      ] as const) {
        const page = await openPage(cast, ada, path, size)
        if (button === 'Reply') await page.getByRole('button', { name: 'Reply', exact: true }).click()
        await text(page, name).fill(LONG)
        const form = page.getByRole('form', { name, exact: true })
        const send = form.getByRole('button', { name: button, exact: true })
        await text(page, name).press('Control+Home')
        await waitForValue(() => isInView(send), true)
        const middles = await form
          .locator('.composer-row button:visible')
          .evaluateAll((all) => all.map((each) => each.getBoundingClientRect()).map(({ y, height }) => y + height / 2))
        expect(middles.length).toBeGreaterThan(5)
        expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(2)
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(size.width)
      }
  })
})
