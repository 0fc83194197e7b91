import { describe, expect, test } from 'bun:test'
import { createClient } from '../src/client'
import type { Running } from '../src/server'
import { diceFrom, type RecordIds, randomWriteNames, randomWrites, recordIdsOf } from './random-writes'
import { startTestServer } from './server'
import { type Person, type World, world } from './world'

/** Two servers that remember, and one that remembers nothing, on one database. */
async function threeServers() {
  const one = await startTestServer()
  const env = { DATABASE_URL: one.config.databaseUrl }
  return { one, two: await startTestServer(env), plain: await startTestServer({ ...env, CACHE_MB: '0' }) }
}

type Servers = Awaited<ReturnType<typeof threeServers>>

/** What a server says, with its own address taken out. */
async function saidBy({ url }: Running, { token }: Person, path: string) {
  const answer = await fetch(url + path, { headers: { Authorization: `Bearer ${token}` } })
  return [path, answer.status, (await answer.text()).replaceAll(url, '').replace(/"request_id":"\w+"/, '')]
}

/** Everything that is remembered in some form, as this person may ask for it. */
const pathsOf = ({ posts, comments, threads }: RecordIds) => [
  '/v2/posts',
  '/v2/posts?limit=2&sort=last_activity_at',
  '/v2/posts?resolved=true',
  '/v2/members',
  '/v2/members?limit=3&direction=desc',
  '/v2/members?q=e',
  '/v2/members?q=example&limit=3&direction=desc',
  '/v2/members?q=ada&roles=member,admin',
  ...posts.slice(-3).map((id) => `/v2/posts/${id}`),
  ...posts.slice(-3).map((id) => `/v2/posts/${id}/comments`),
  ...comments.slice(-2).map((id) => `/v2/comments/${id}`),
  ...threads.slice(-2).map((id) => `/v2/threads/${id}/messages`),
]

/** Lists whose order is remembered, with few to a page. */
const listsOf = ({ posts, threads }: RecordIds) => [
  '/v2/posts?limit=2',
  '/v2/posts?limit=3&sort=last_activity_at&direction=asc',
  '/v2/posts?limit=2&resolved=false',
  '/v2/members?limit=2',
  ...posts.slice(-2).map((id) => `/v2/posts/${id}/comments?limit=1`),
  ...threads.slice(-1).map((id) => `/v2/threads/${id}/messages?limit=2`),
]

const MOST_PAGES = 5

/** The first pages of a list, there and back. */
async function pagesBy(server: Running, who: Person, path: string) {
  const pages = [await saidBy(server, who, path)]
  const turn = async (way: 'next_cursor' | 'prev_cursor') => {
    const cursor = String(pages.at(-1)![2]).match(`"${way}":"([^"]+)"`)?.[1]
    if (cursor) pages.push(await saidBy(server, who, `${path}&after=${cursor}`))
  }
  for (let page = 0; page < MOST_PAGES; page++) await turn('next_cursor')
  for (let page = 0; page < MOST_PAGES; page++) await turn('prev_cursor')
  return pages
}

async function expectAgreement({ one, two, plain }: Servers, who: Person, things: RecordIds) {
  for (const path of pathsOf(things)) {
    const truth = await saidBy(plain, who, path)
    expect(await saidBy(one, who, path)).toEqual(truth)
    expect(await saidBy(two, who, path)).toEqual(truth)
  }
  for (const path of listsOf(things)) {
    const truth = await pagesBy(plain, who, path)
    expect(await pagesBy(one, who, path)).toEqual(truth)
    expect(await pagesBy(two, who, path)).toEqual(truth)
  }
}

/** The same person, speaking to another server. */
const at = ({ url }: Running, who: Person): Person => ({ ...who, ...createClient({ baseUrl: url, token: who.token }) })

async function stop(servers: Servers) {
  for (const server of [servers.plain, servers.two, servers.one]) await server.stop()
}

describe('what is remembered is what there is, on every server of a database', () => {
  test('whatever was done on whichever of them', async () => {
    const servers = await threeServers()
    const cast: World = await world(servers.one)
    const { root, ada, gus, bot } = cast
    const things = recordIdsOf(cast)
    const dice = diceFrom(11)
    const writers = [servers.one, servers.two]
    const act = (name: (typeof randomWriteNames)[number]) =>
      randomWrites[name]!(at(dice.of(writers), root), things, dice).catch(() => {})
    for (const name of ['posts.create', 'comments.create', 'messages.createDirect', 'posts.create'] as const)
      await act(name)
    // Everything there is to do, and the frequent ones in between.
    const often = ['posts.create', 'comments.create', 'messages.create', 'posts.resolve', 'members.update'] as const
    for (const name of randomWriteNames) {
      await act(name)
      await act(dice.of(often))
      await expectAgreement(servers, dice.of([root, ada, gus, bot]), things)
    }
    await stop(servers)
  }, 120_000)

  test('after each kind of change that a record shows', async () => {
    const servers = await threeServers()
    const cast: World = await world(servers.one)
    const { root, ada, bob, gus, bot, general } = cast
    const [ann, bert] = [at(servers.one, ada), at(servers.two, bob)]
    const things = recordIdsOf(cast)
    const post = await ann.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
    const comment = await bert.comments.create({ post_id: post.id, content_markdown: 'Noon.' })
    const reply = await ann.comments.create({ post_id: post.id, content_markdown: 'One.', parent_id: comment.id })
    const message = await ann.messages.createDirect({ member_id: bob.id, content_markdown: 'Hi' })
    const { thread_id } = message
    const answer = await bert.messages.create({ thread_id, content_markdown: 'Ho', parent_id: message.id })
    things.posts.push(post.id)
    things.comments.push(comment.id, reply.id)
    things.threads.push(thread_id)
    const [post_id, channel_id] = [post.id, general.id]

    const changes: (() => Promise<unknown>)[] = [
      () => ann.posts.update({ id: post_id, title: 'Dinner?' }),
      () => ann.posts.update({ id: post_id, content_markdown: 'Dinner?' }),
      () => bert.posts.resolve({ post_id, comment_id: comment.id, content_markdown: 'Yes.' }),
      () => bert.comments.update({ id: comment.id, content_markdown: 'At noon.' }),
      () => bert.comments.update({ id: reply.id, content_markdown: 'No.' }).catch(() => {}),
      () => ann.comments.update({ id: reply.id, content_markdown: 'At one.' }),
      () => bert.comments.create({ post_id, content_markdown: 'Or two.', parent_id: comment.id }),
      () => bert.messages.update({ id: answer.id, content_markdown: 'Ho ho' }),
      () => ann.messages.create({ thread_id, content_markdown: 'Well' }),
      () => ann.messages.delete({ id: message.id }),
      () => ann.comments.delete({ id: reply.id }),
      () => bert.comments.delete({ id: comment.id }),
      () => bert.posts.unresolve({ post_id }),
      () => root.members.update({ id: gus.id, is_deactivated: true }),
      () => root.members.update({ id: gus.id, is_deactivated: false }),
      () => root.members.update({ id: gus.id, role: 'viewer' }),
      () => root.members.update({ id: bob.id, display_name: 'Bobby Moore' }),
      () => root.members.create({ email: 'new@example.com', display_name: 'New', role: 'member' }),
      () => root.channels.update({ id: channel_id, name: 'lobby' }),
      () => root.channels.update({ id: channel_id, private: true }),
      () => root.channels.addMember({ channel_id, member_id: ada.id }),
      () => root.channels.removeMember({ channel_id, member_id: ada.id }),
      () => root.channels.update({ id: channel_id, private: false }),
      () => root.channels.delete({ id: channel_id }),
      () => root.channels.update({ id: channel_id, archived: false }),
      () => root.apps.delete({ id: bot.id }),
      () => ann.posts.delete({ id: post_id }),
    ]
    for (const change of changes) {
      for (const who of [ada, bob, gus]) await expectAgreement(servers, who, things)
      await change()
    }
    for (const who of [ada, bob, gus]) await expectAgreement(servers, who, things)
    await stop(servers)
  }, 120_000)

  test('what others were told of one’s write is never older than the write', async () => {
    const servers = await threeServers()
    const { ada, bob, general } = await world(servers.one)
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
    const [writer, reader] = [at(servers.one, ada), at(servers.two, bob)]
    const readers = Array.from({ length: 4 }, async () => {
      for (let round = 0; round < 20; round++) await reader.posts.list({ limit: 1 + (round % 50) })
    })
    for (let round = 1; round <= 20; round++) {
      await writer.comments.create({ post_id: post.id, content_markdown: `Round ${round}` })
      expect((await reader.posts.get({ id: post.id })).comments_count).toBe(round)
      expect((await reader.posts.list()).data[0]!.comments_count).toBe(round)
      expect((await reader.comments.list({ post_id: post.id })).total_count).toBe(round)
    }
    await Promise.all(readers)
    await stop(servers)
  }, 60_000)

  test('a log that does not reach back far enough makes it start over', async () => {
    const servers = await threeServers()
    const { ada, bob, general, workspaceKey } = await world(servers.one)
    const post = await ada.posts.create({ channel_id: general.id, content_markdown: 'Lunch?' })
    const reader = at(servers.two, bob)
    await reader.posts.get({ id: post.id })
    await ada.posts.update({ id: post.id, title: 'Dinner?' })
    await ada.posts.create({ channel_id: general.id, content_markdown: 'Another' })
    await servers.one.parley.engine.write((db) =>
      db.deleteFrom('events').where('workspace_key', '=', workspaceKey).execute(),
    )
    expect((await reader.posts.get({ id: post.id })).title).toBe('Dinner?')
    await stop(servers)
  }, 60_000)
})
