import { describe, expect, test } from 'bun:test'
import { world } from '../world'
import { find } from './found'

/** A workspace with a post, its comment and a message. */
async function conversation() {
  const cast = await world()
  const { ada, bob, general } = cast
  const post = await ada.posts.create({
    channel_id: general.id,
    title: 'Rocket launch',
    content_markdown: 'We fly **tomorrow** at noon. Café Zürich is closed.',
  })
  const comment = await bob.comments.create({ post_id: post.id, content_markdown: 'I will bring rockets and snacks.' })
  const message = await ada.messages.createDirect({ member_id: bob.id, content_markdown: 'The launch is at noon.' })
  return { ...cast, post: post.id, comment: comment.id, message: message.id }
}

describe('the words of a search', () => {
  test('must all be in a record, in its title or its text', async () => {
    const { ada, post, message } = await conversation()
    expect(await find(ada, 'noon launch')).toEqual([message, post])
    expect(await find(ada, 'tomorrow rocket')).toEqual([post])
    expect(await find(ada, 'tomorrow snacks')).toEqual([])
  })

  test('match whatever their case, accents and width', async () => {
    const { ada, post } = await conversation()
    for (const q of ['cafe', 'CAFÉ', 'cafe\u0301', 'ｃａｆｅ', 'zurich', 'ZÜRICH'])
      expect(await find(ada, q)).toEqual([post])
  })

  test('are whole words, unless they end with a star', async () => {
    const { ada, post, comment } = await conversation()
    expect(await find(ada, 'rock')).toEqual([])
    expect(await find(ada, 'rocket')).toEqual([post])
    expect(await find(ada, 'rock*')).toEqual([post, comment])
    expect(await find(ada, 'rock* snack*')).toEqual([comment])
    expect(await find(ada, 'ock*')).toEqual([])
  })

  test('of several parts may end with a single letter and a star', async () => {
    const { ada, general } = await world()
    const write = async (title: string, content_markdown: string) =>
      (await ada.posts.create({ channel_id: general.id, title, content_markdown })).id
    const release = await write('Release v2.10', 'It is on local/build, not on local/main.')
    const other = await write('Release v2.2', 'The build of v1 is local. 1 is for v2.')
    const branch = await write('Branches', 'See local/b and local-branch for v2.1')
    expect(await find(ada, 'v2.1*')).toEqual([release, branch])
    expect(await find(ada, 'v2.1* local/b*')).toEqual([branch, release])
    expect(await find(ada, 'local/b*')).toEqual([branch, release])
    expect(await find(ada, 'title:v2.1*')).toEqual([release])
    expect(await find(ada, 'release -v2.1*')).toEqual([other])
    expect(await find(ada, 'local/b* -local/bu*')).toEqual([branch])
    expect(await find(ada, 'local/b* -local/b*')).toEqual([])
    // A letter alone is the word itself.
    expect(await find(ada, 'b*')).toEqual([branch])
    expect(await find(ada, '1*')).toEqual([branch, other])
    const { data } = await ada.search.list({ q: 'local/b*', limit: 1 })
    const [{ text, highlights }] = data[0]!.excerpts as [(typeof data)[0]['excerpts'][0]]
    expect(highlights.map(({ start, end }) => text.slice(start, end))).toEqual(['local/b', 'local-branch'])
  })

  test('in quotes must follow each other', async () => {
    const { ada, post, message } = await conversation()
    expect(await find(ada, '"at noon"')).toEqual([message, post])
    expect(await find(ada, '“at noon”')).toEqual([message, post])
    expect(await find(ada, '«at noon»')).toEqual([message, post])
    expect(await find(ada, '"fly tomorrow at noon"')).toEqual([post])
    expect(await find(ada, '"noon at"')).toEqual([])
    expect(await find(ada, '"launch we"')).toEqual([])
  })

  test('after a minus must not be in it', async () => {
    const { ada, post, comment, message } = await conversation()
    expect(await find(ada, 'noon -rocket')).toEqual([message])
    expect(await find(ada, 'noon -"fly tomorrow"')).toEqual([message])
    expect(await find(ada, 'noon -rock*')).toEqual([message])
    expect(await find(ada, '-noon')).toEqual([comment])
    expect(await find(ada, '-launch -rockets')).toEqual([])
    expect(await find(ada, 'launch -title:launch')).toEqual([message])
    expect(await find(ada, 'rock-et')).toEqual([])
    expect(await find(ada, 'launch - noon')).toEqual([message, post])
  })

  test('after title: must be in the title', async () => {
    const { ada, post } = await conversation()
    expect(await find(ada, 'title:launch')).toEqual([post])
    expect(await find(ada, 'TITLE:Laun*')).toEqual([post])
    expect(await find(ada, 'title:"rocket launch"')).toEqual([post])
    expect(await find(ada, 'title:noon')).toEqual([])
    expect(await find(ada, 'title:rocket noon')).toEqual([post])
  })

  test('find a part of a text in a script without spaces', async () => {
    const { ada, bob, general } = await world()
    const text = '東京都の天気は晴れです。'
    const { id } = await ada.posts.create({ channel_id: general.id, title: '今日', content_markdown: text })
    const { id: thai } = await bob.posts.create({ channel_id: general.id, content_markdown: 'สวัสดีชาวโลก' })
    for (const q of ['東', '京都', '天気は晴れ', '都の天', 'です', '"東京"', '今'])
      expect(await find(ada, q)).toEqual([id])
    expect(await find(ada, '京東')).toEqual([])
    for (const q of ['ชาวโลก', 'โลก', 'สวัส']) expect(await find(ada, q)).toEqual([thai])
  })

  test('may be none: everything is found, newest first', async () => {
    const { ada, bob, gus, post, comment, message } = await conversation()
    for (const q of [undefined, '', '   ', '""', '*', '…'])
      expect(await find(ada, { q })).toEqual([message, comment, post])
    expect(await find(bob, {})).toEqual([message, comment, post])
    expect(await find(gus, {})).toEqual([])
  })
})

test('a result names the post or thread it belongs to', async () => {
  const { ada, bob, general, baseUrl } = await world()
  const post = await ada.posts.create({ channel_id: general.id, title: 'Plan', content_markdown: 'zebra' })
  const comment = await bob.comments.create({ post_id: post.id, content_markdown: 'zebra too' })
  const thread = await ada.threads.create({ member_ids: [bob.id], title: 'Team' })
  const message = await ada.messages.create({ thread_id: thread.id, content_markdown: 'zebra as well' })
  const { data } = await ada.search.list({ q: 'zebra' })
  const ofPost = { type: 'post', id: post.id, title: 'Plan', url: post.url }
  expect(data).toMatchObject([
    {
      type: 'message',
      message: await ada.messages.get({ id: message.id }),
      subject: { type: 'thread', id: thread.id, title: 'Team', url: `${baseUrl}/threads/${thread.id}` },
    },
    { type: 'comment', comment: await ada.comments.get({ id: comment.id }), subject: ofPost },
    { type: 'post', post: await ada.posts.get({ id: post.id }), subject: ofPost },
  ])
})
