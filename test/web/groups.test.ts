import { expect } from 'bun:test'
import { MAX_CHANNEL_MENTIONS } from '../../src/actions/mentions'
import { world } from '../world'
import { openPage, test, waitForHidden, waitForValue, waitForVisible } from './browser'

/** A world with the group `design` of ada and gus. */
async function worldWithGroup() {
  const cast = await world()
  const design = await cast.root.groups.create({ name: 'design', description: 'Who draws.' })
  for (const { id } of [cast.ada, cast.gus]) await cast.root.groups.addMember({ group_id: design.id, member_id: id })
  return { ...cast, design }
}

test('an admin makes a group, adds and removes people, renames and deletes it', async () => {
  const cast = await world()
  const { root, ada } = cast
  const page = await openPage(cast, root, '/settings/groups')
  await waitForVisible(page.getByText('No groups yet'))
  await page.getByRole('button', { name: 'New group' }).click()
  const dialog = page.getByRole('dialog', { name: 'New group' })
  await dialog.getByLabel('Name').fill('two words')
  await dialog.getByRole('button', { name: 'Create group' }).click()
  await waitForVisible(dialog.getByText('Must consist of letters'))
  await dialog.getByLabel('Name').fill('design')
  await dialog.getByLabel('Description (optional)').fill('Who draws.')
  await dialog.getByRole('button', { name: 'Create group' }).click()

  await waitForVisible(page.getByRole('heading', { level: 1, name: '@design' }))
  await waitForVisible(page.getByText('Nobody is in this group yet.'))
  await page.getByRole('combobox', { name: 'Add a member' }).fill('ada')
  await page.getByRole('option', { name: /Ada Lovelace/ }).click()
  await waitForVisible(page.getByText('1 member · Who draws.'))
  const [group] = (await root.groups.list()).data
  expect((await root.groups.members({ group_id: group!.id })).data.map(({ id }) => id)).toEqual([ada.id])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Remove Ada Lovelace' }).click()
  await waitForVisible(page.getByText('0 members · Who draws.'))

  await page.getByRole('button', { name: 'Manage @design' }).click()
  await page.getByRole('menuitem', { name: 'Rename or describe' }).click()
  await page.getByLabel('Name', { exact: true }).fill('artists')
  await page.getByRole('button', { name: 'Save' }).click()
  await waitForVisible(page.getByRole('heading', { level: 1, name: '@artists' }))
  await page.getByRole('link', { name: 'All groups' }).click()
  await page.getByRole('button', { name: 'Manage @artists' }).click()
  await page.getByRole('menuitem', { name: 'Delete group' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete group' }).click()
  await waitForVisible(page.getByText('No groups yet'))
  expect((await root.groups.list()).data).toEqual([])
})

test('an admin chooses who may mention whole channels', async () => {
  const cast = await worldWithGroup()
  const page = await openPage(cast, cast.root, '/settings/groups')
  await page.getByRole('radio', { name: 'Only admins' }).click()
  await waitForValue(async () => (await cast.ada.workspace.get()).channel_mentions, 'admins')
})

test('members see the groups, and guests see nothing of them', async () => {
  const cast = await worldWithGroup()
  const page = await openPage(cast, cast.ada, '/settings/groups')
  await page.getByRole('link', { name: '@design' }).click()
  await waitForVisible(page.getByRole('list', { name: 'Members' }).getByText('Gus Guest'))
  expect(await page.getByRole('button', { name: /Manage|Remove/ }).count()).toBe(0)
  expect(await page.getByRole('combobox').count()).toBe(0)
  const asGuest = await openPage(cast, cast.gus, '/settings/profile')
  await waitForVisible(asGuest.getByRole('navigation', { name: 'Settings' }).getByText('Profile'))
  expect(await asGuest.getByRole('link', { name: 'Groups' }).count()).toBe(0)
  await asGuest.goto(`${cast.baseUrl}/groups/${cast.design.id}`)
  await waitForVisible(asGuest.getByText('Group not found'))
})

test('a group and a channel are completed after @, and a mention leads to the group', async () => {
  const cast = await worldWithGroup()
  const { root, bob, ada, gus, general, design } = cast
  // Who cannot see the text would be a warning before it is sent.
  await root.groups.removeMember({ group_id: design.id, member_id: gus.id })
  const post = await bob.posts.create({ channel_id: general.id, title: 'Logo', content_markdown: 'Which one?' })
  const page = await openPage(cast, bob, `/posts/${post.id}`)
  const box = page.locator('form[aria-label="Comment"] [data-writing]')
  await box.click()
  await page.keyboard.type('Hi @des')
  const option = page.getByRole('option', { name: /design/ })
  await waitForVisible(option)
  expect(await option.innerText()).toContain('1 member')
  await page.keyboard.press('Enter')
  await waitForHidden(option)
  await page.keyboard.type('and @chan')
  await waitForVisible(page.getByRole('option', { name: /channel.*Everyone in this channel/ }))
  await page.keyboard.press('Enter')
  // What has been shown before it is sent asks nothing.
  await waitForVisible(page.getByText('@channel notifies'))
  await page.keyboard.press('Control+Enter')
  await waitForValue(async () => (await bob.comments.list({ post_id: post.id })).total_count, 1)
  const mention = page.getByRole('link', { name: '@design' })
  await waitForVisible(mention)
  const [comment] = (await bob.comments.list({ post_id: post.id })).data
  expect(comment!.content).toContain('<span class="mention">@channel</span>')
  await cast.fillInboxes()
  expect((await ada.inbox.list()).data[0]).toMatchObject({ reason: 'group_mention', group: { name: 'design' } })
  await mention.click()
  await waitForVisible(page.getByRole('heading', { level: 1, name: '@design' }))
})

test('a name that another group has now mentions that one, and the name of a deleted group nobody', async () => {
  const cast = await worldWithGroup()
  const { root, bob, general, design } = cast
  const post = await bob.posts.create({ channel_id: general.id, content_markdown: `Which one, <@${design.id}>?` })
  const page = await openPage(cast, bob, `/posts/${post.id}`)
  const box = page.locator('form[aria-label="Comment"] [data-writing]')
  const send = async (text: string, count: number) => {
    await page.reload()
    await box.fill(text)
    await page.keyboard.press('Control+Enter')
    await waitForValue(async () => (await bob.comments.list({ post_id: post.id })).total_count, count)
    const { data } = await bob.comments.list({ post_id: post.id, direction: 'desc', limit: 1 })
    return data[0]!.content
  }
  await box.click()
  await page.keyboard.type('@des')
  await page.getByRole('option', { name: /design/ }).click()
  await page.keyboard.press('Control+Enter')
  await page.getByRole('button', { name: 'Send anyway' }).click()
  await waitForValue(async () => (await bob.comments.list({ post_id: post.id })).total_count, 1)

  await root.groups.update({ id: design.id, name: 'artists' })
  const { id } = await root.groups.create({ name: 'design' })
  expect(await send('Hi @design', 2)).toContain(`/groups/${id}`)
  await root.groups.delete({ id })
  expect(await send('Bye @design', 3)).toBe('<p>Bye @design</p>')
})

test('nobody is offered everyone in a thread, or without the right', async () => {
  const cast = await worldWithGroup()
  const { root, ada, bob, general } = cast
  const { thread_id } = await ada.messages.createDirect({ member_id: bob.id, content_markdown: 'Hi' })
  const page = await openPage(cast, ada, `/threads/${thread_id}`)
  await page.locator('[data-writing]').click()
  await page.keyboard.type('@de')
  await waitForVisible(page.getByRole('option', { name: /design/ }))
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Backspace')
  await page.keyboard.type('her')
  await waitForHidden(page.getByRole('option', { name: /design/ }))
  expect(await page.getByRole('option', { name: /^here/ }).count()).toBe(0)

  await root.workspace.update({ channel_mentions: 'admins' })
  const post = await root.posts.create({ channel_id: general.id, content_markdown: 'Logo' })
  const other = await openPage(cast, ada, `/posts/${post.id}`)
  await other.locator('form[aria-label="Comment"] [data-writing]').click()
  await other.keyboard.type('@des')
  await waitForVisible(other.getByRole('option', { name: /design/ }))
  for (let times = 0; times < 3; times++) await other.keyboard.press('Backspace')
  await other.keyboard.type('chan')
  await waitForHidden(other.getByRole('option', { name: /design/ }))
  expect(await other.getByRole('option', { name: /channel/ }).count()).toBe(0)
})

test('@here says how many are online, and who mentioned whole channels too often is told when they can again', async () => {
  const cast = await world()
  const { root, ada, bob, vic, general } = cast
  // Vic and Eve have never been here.
  const eve = await root.members.create({ email: 'eve@example.com', display_name: 'Eve Adams', role: 'member' })
  for (const { id } of [ada, vic, eve]) await root.channels.addMember({ channel_id: general.id, member_id: id })
  const { id: own } = await ada.channels.create({ name: 'own' })
  const alone = await openPage(cast, ada, `/posts/new?channel=${own}`)
  await alone.locator('[data-writing]').click()
  await alone.keyboard.type('@her')
  await alone.getByRole('option', { name: /^here/ }).click()
  await waitForVisible(alone.getByText('@here notifies nobody: nobody else is online.'))

  const post = await bob.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
  const page = await openPage(cast, ada, `/posts/${post.id}`)
  await cast.server.parley.presence.settled()
  const box = page.locator('form[aria-label="Comment"] [data-writing]')
  await box.click()
  await page.keyboard.type('@her')
  await waitForVisible(page.getByRole('option', { name: /^here/ }))
  await page.keyboard.press('Enter')
  await waitForVisible(page.getByText('@here notifies 2 people who are online.'))
  for (let times = 0; times < MAX_CHANNEL_MENTIONS; times++)
    await ada.posts.create({ channel_id: general.id, content_markdown: '<@channel>' })
  await page.keyboard.press('Control+Enter')
  await waitForVisible(
    page.getByRole('alert').getByText(/^You can mention whole channels 10 times an hour\..* try again in \d+ minutes/),
  )
  // The text is still there, and can be sent without the mention.
  await waitForValue(() => box.inputValue(), '<@here> ')
  await box.fill('Lunch')
  await page.keyboard.press('Control+Enter')
  await waitForValue(async () => (await bob.comments.list({ post_id: post.id })).total_count, 1)
})
