import { describe, expect, test } from 'bun:test'
import { insertFile } from '../insert-file'
import { type Person, type World, world } from '../world'

/** Root, an admin, corrects a typo: the same text, and one more character. */
const typo = (markdown: string) => `${markdown}!`

const shows = (content: string, file: string) => content.includes(`/files/${file}`)

const canRead = async ({ raw }: World, who: Person, file: string) =>
  (await raw(who, `/v2/files/${file}`)).status === 200

/** A channel that only root is in, and a file in it. */
async function hideFile(here: World) {
  const channel = await here.root.channels.create({ name: 'secret', private: true })
  const file = await insertFile(here, here.root)
  await here.root.posts.create({ channel_id: channel.id, file_ids: [file] })
  return { channel, file }
}

/** Each kind of text that an admin can edit: who wrote it writes and edits it here. */
async function textsOf({ root, general }: World, ada: Person) {
  const post = await ada.posts.create({ channel_id: general.id, title: 'A', content_markdown: 'x' })
  const thread = await ada.threads.create({ member_ids: [root.id], title: 'T' })
  return {
    post: {
      create: (content_markdown: string) => ada.posts.create({ channel_id: general.id, title: 'A', content_markdown }),
      update: (by: Person, id: string, content_markdown: string, file_ids?: string[]) =>
        by.posts.update({ id, content_markdown, file_ids }),
    },
    comment: {
      create: (content_markdown: string) => ada.comments.create({ post_id: post.id, content_markdown }),
      update: (by: Person, id: string, content_markdown: string, file_ids?: string[]) =>
        by.comments.update({ id, content_markdown, file_ids }),
    },
    message: {
      create: (content_markdown: string) => ada.messages.create({ thread_id: thread.id, content_markdown }),
      update: (by: Person, id: string, content_markdown: string, file_ids?: string[]) =>
        by.messages.update({ id, content_markdown, file_ids }),
    },
  }
}

describe('a file that the author of a text cannot see', () => {
  test.each(['post', 'comment', 'message'] as const)('is not published by an admin who edits the %s', async (kind) => {
    const here = await world()
    const { root, ada, bob } = here
    const { channel, file } = await hideFile(here)
    const { create, update } = (await textsOf(here, ada))[kind]
    const markdown = `![a](${file}) [b](${file})`
    const { id } = await create(markdown)

    const edited = await update(root, id, typo(markdown))
    expect(shows(edited.content, file)).toBe(false)
    for (const who of [ada, bob]) expect(await canRead(here, who, file)).toBe(false)
    await expect(update(root, id, 'With file_ids', [file])).rejects.toMatchObject({ code: 'invalid_input' })
    // Not one that the admin has just uploaded either: its id may come from the text.
    const upload = await insertFile(here, root)
    expect(shows((await update(root, id, `![a](${upload})`)).content, upload)).toBe(false)

    // Once the author can see it, it is shown, and stays when they no longer can.
    await root.channels.addMember({ channel_id: channel.id, member_id: ada.id })
    expect(shows((await update(root, id, markdown)).content, file)).toBe(true)
    await root.channels.removeMember({ channel_id: channel.id, member_id: ada.id })
    expect(shows((await update(root, id, typo(markdown))).content, file)).toBe(true)
    await root.members.update({ id: ada.id, role: 'guest' })
    expect(shows((await update(root, id, typo(typo(markdown)))).content, file)).toBe(true)
    // Removed, it needs the author's access again.
    await update(root, id, 'None')
    expect(shows((await update(root, id, markdown)).content, file)).toBe(false)
  })

  test('does not give a post a title with its name', async () => {
    const here = await world()
    const { root, ada, general } = here
    const { file } = await hideFile(here)
    const post = await ada.posts.create({ channel_id: general.id, title: 'A', content_markdown: `[](${file})` })
    const edited = await root.posts.update({ id: post.id, title: '' })
    expect(JSON.stringify(edited)).not.toContain('cat.png')
  })

  test('stays hidden if the author was demoted, deactivated or removed since', async () => {
    const here = await world()
    const { root, ada, bob, bot, general } = here
    const shared = await here.root.channels.create({ name: 'shared' })
    const file = await insertFile(here, root)
    const markdown = 'before'
    const [byAda, byBob, byBot] = [
      await ada.posts.create({ channel_id: general.id, content_markdown: markdown }),
      await bob.posts.create({ channel_id: general.id, content_markdown: markdown }),
      await bot.posts.create({ channel_id: general.id, content_markdown: markdown }),
    ]
    await root.posts.create({ channel_id: shared.id, file_ids: [file] })
    const reference = `![a](${file})`
    await root.members.update({ id: ada.id, role: 'guest' })
    await root.members.update({ id: bob.id, is_deactivated: true })
    expect(shows((await root.posts.update({ id: byBot.id, content_markdown: reference })).content, file)).toBe(true)
    await root.posts.update({ id: byBot.id, content_markdown: 'None' })
    await root.apps.delete({ id: bot.id })
    for (const { id } of [byAda, byBob, byBot])
      expect(shows((await root.posts.update({ id, content_markdown: reference })).content, file)).toBe(false)
  })

  test('is not published by an admin who edits what an incoming webhook posted', async () => {
    const here = await world()
    const { root, ada, bob, general } = here
    await root.channels.addMember({ channel_id: general.id, member_id: ada.id })
    const hook = await ada.hooks.create({ name: 'CI', channel_id: general.id })
    // Its owner can see the file; people who know the address of the webhook may not.
    const file = await insertFile(here, ada)
    const thread = await ada.threads.create({ member_ids: [root.id], title: 'T' })
    await ada.messages.create({ thread_id: thread.id, content_markdown: '', file_ids: [file] })
    const content = `![a](${file})`
    const response = await fetch(hook.url, { method: 'POST', body: JSON.stringify({ text: 'Text', content }) })
    const [post] = (await root.posts.list({ channel_id: general.id })).data
    expect([response.status, post!.author.type]).toEqual([200, 'app'])

    const edited = await root.posts.update({ id: post!.id, content_markdown: content })
    expect(shows(edited.content, file)).toBe(false)
    expect(await canRead(here, bob, file)).toBe(false)
  })
})

describe('someone whom the author of a text cannot see', () => {
  test('is not named or notified when an admin edits it; whom it named before stays named', async () => {
    const here = await world()
    const { root, gus, ada, bob, general } = here
    await root.channels.addMember({ channel_id: general.id, member_id: gus.id })
    await bob.channels.leave({ channel_id: general.id })
    const markdown = `<@${ada.id}> and <@${bob.id}>`
    const { id, content } = await gus.posts.create({ channel_id: general.id, content_markdown: markdown })
    expect([content.includes('@Ada'), content.includes('Bob')]).toEqual([true, false])

    const edited = await root.posts.update({ id, content_markdown: typo(markdown) })
    expect([edited.content.includes('@Ada'), edited.content.includes('Bob')]).toEqual([true, false])
    await here.fillInboxes()
    expect((await bob.inbox.list({})).data).toEqual([])

    // Gus no longer shares a channel with Ada, and then cannot see anyone.
    await root.channels.removeMember({ channel_id: general.id, member_id: ada.id })
    expect((await root.posts.update({ id, content_markdown: markdown })).content).toContain('@Ada')
    await root.members.update({ id: gus.id, is_deactivated: true })
    const last = await root.posts.update({ id, content_markdown: typo(markdown) })
    expect([last.content.includes('@Ada'), last.content.includes('Bob')]).toEqual([true, false])
  })

  test('an admin may add a mention of someone whom the author can see', async () => {
    const { root, ada, bob, general } = await world()
    const { id } = await ada.posts.create({ channel_id: general.id, content_markdown: 'For whom?' })
    const { content } = await root.posts.update({ id, content_markdown: `For <@${bob.id}>` })
    expect(content).toContain('@Bob')
  })
})
