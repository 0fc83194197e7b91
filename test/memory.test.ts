import { describe, expect, test } from 'bun:test'
import { statements } from './server'
import { type Person, type World, world } from './world'

/** What a list says of each post, from memory, is what the post says of itself. */
async function agree({ ada, gus }: World) {
  for (const who of [ada, gus]) {
    await who.posts.list({ limit: 50 })
    // Other parameters make it another answer, so that it is put together anew from what is remembered.
    for (const limit of [49, 48]) {
      const { data } = await who.posts.list({ limit })
      for (const post of data) expect(post).toEqual(await who.posts.get({ id: post.id }))
    }
  }
}

describe('what is remembered of posts', () => {
  test('is what they are, whatever changes', async () => {
    const everyone = await world()
    const { root, ada, bob, gus, general } = everyone
    await root.channels.addMember({ channel_id: general.id, member_id: gus.id })
    const write = (text: string) => ada.posts.create({ channel_id: general.id, content_markdown: text })
    const posts = [await write('One'), await write('Two'), await write('Three “…” 🙂 \\ "quoted"')]
    const post_id = posts[1]!.id
    const answer = await bob.comments.create({ post_id, content_markdown: 'Because.' })
    const other = await bob.comments.create({ post_id, content_markdown: 'Or not.' })
    const secret = await root.channels.create({ name: 'secret', private: true })
    const reply = { id: '' }

    const changes: (() => Promise<unknown>)[] = [
      () => ada.posts.resolve({ post_id, comment_id: answer.id }),
      () => bob.comments.update({ id: answer.id, content_markdown: 'Because of *that*.' }),
      async () => {
        reply.id = (await ada.comments.create({ post_id, content_markdown: 'Ah.', parent_id: answer.id })).id
      },
      () => ada.posts.update({ id: post_id, title: 'Two, renamed' }),
      () => ada.posts.update({ id: post_id, content_markdown: 'Two, rewritten' }),
      () => root.members.update({ id: bob.id, display_name: 'Bobby Moore' }),
      () => root.members.update({ id: ada.id, display_name: 'Ada King' }),
      () => root.channels.update({ id: general.id, name: 'everyone' }),
      () => ada.comments.delete({ id: reply.id }),
      () => bob.comments.delete({ id: other.id }),
      () => bob.comments.delete({ id: answer.id }),
      () => ada.posts.unresolve({ post_id }),
      () => ada.posts.resolve({ post_id, content_markdown: 'Done.' }),
      () => root.channels.addMember({ channel_id: secret.id, member_id: ada.id }),
      () => ada.posts.create({ channel_id: secret.id, content_markdown: 'Psst' }),
      () => root.channels.removeMember({ channel_id: secret.id, member_id: ada.id }),
      () => ada.posts.delete({ id: posts[0]!.id }),
      () => root.channels.delete({ id: general.id }),
      () => root.channels.update({ id: general.id, archived: false }),
    ]
    await agree(everyone)
    for (const change of changes) {
      await change()
      await agree(everyone)
    }
  })
})

/** All posts, so many a page. */
async function walked(who: Person, limit: number): Promise<string[]> {
  const titles: string[] = []
  for (let after: string | null | undefined; after !== null; ) {
    const page = await who.posts.list({ limit, after })
    titles.push(...page.data.map(({ title }) => title))
    after = page.next_cursor
  }
  return titles
}

/** The statements that list posts, or read them, while something is done. */
async function readsOf(deed: () => Promise<unknown>): Promise<string[]> {
  const before = statements.log.length
  await deed()
  return statements.log.slice(before).filter((sql) => /^select.*from "?posts/is.test(sql))
}

describe('what is remembered of the order of a list', () => {
  test('serves pages of any size, and outlives what does not change it', async () => {
    const { ada, bob, general } = await world()
    const write = (title: string) => ada.posts.create({ channel_id: general.id, title, content_markdown: 'Well.' })
    const titles: string[] = []
    for (let number = 1; number <= 11; number++) titles.unshift((await write(`Number ${number}`)).title)
    expect(await walked(ada, 4)).toEqual(titles)
    for (const limit of [1, 3, 10, 50])
      expect(await readsOf(async () => expect(await walked(ada, limit)).toEqual(titles))).toEqual([])

    const [post] = (await ada.posts.list({ limit: 2 })).data
    await bob.comments.create({ post_id: post!.id, content_markdown: 'Hi' })
    // Only the post itself is read again.
    const [read, ...more] = await readsOf(async () => expect(await walked(ada, 5)).toEqual(titles))
    expect(read).toContain('"p"."key" in')
    expect(more).toEqual([])

    titles.unshift((await write('Number 12')).title)
    for (const limit of [2, 6]) expect(await walked(ada, limit)).toEqual(titles)
    await ada.posts.delete({ id: post!.id })
    titles.splice(1, 1)
    for (const limit of [2, 6]) expect(await walked(ada, limit)).toEqual(titles)
  })
})
