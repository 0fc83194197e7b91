import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { OperationName } from '../src/contract'
import { isPersonal } from '../src/domain/events/effects'
import type { Running } from '../src/server'
import { findVisibilityHashes } from '../src/store/access/visibility-hash'
import { findBearers } from '../src/store/people/tokens'
import { ApiError, createClient } from './client'
import { randomWriteNames, writeRandomly } from './operations'
import { newRandom, type RecordIds, recordIdsOf } from './random-writes'
import { newMigratedDatabase, startTestServer, statementsOf } from './server'
import { type Person, type World, world } from './world'

/** PARLEY_TORTURE=long: more, with a random seed; PARLEY_TORTURE_SEED sets it. */
const isLong = process.env.PARLEY_TORTURE === 'long'
const WRITES = isLong ? 4_000 : 150
const PATHS_PER_WRITE = 2
const SEED = Number(process.env.PARLEY_TORTURE_SEED ?? (isLong ? Date.now() % 1_000_000 : 7))

const callers = ['root', 'ada', 'bob', 'vic', 'gus', 'bot'] as const

/** Two nodes on one database, and one that caches nothing. */
let nodes: [Running, Running]
let fresh: Running
let cast: World
let records: RecordIds
beforeAll(async () => {
  const database = await newMigratedDatabase()
  const start = (env = {}) => startTestServer({ DATABASE_URL: database.url, ...env })
  nodes = [await start(), await start()]
  fresh = await start({ CACHE_MB: '0' })
  cast = await world(nodes[0])
  records = recordIdsOf(cast)
})
afterAll(() => Promise.all([...nodes, fresh].map((server) => server.stop())))

const atNode = ({ id, token }: Person, { url }: Running): Person => ({
  ...createClient({ baseUrl: url, token }),
  ...{ id, token, baseUrl: url },
})

/** Addresses of everything that has an ETag. */
function pathsOf({ posts, comments, channels, threads, members, messages }: RecordIds): string[] {
  const each = (ids: readonly string[], toPath: (id: string) => string) => ids.slice(-3).map(toPath)
  const shown = posts.slice(-3).join()
  return [
    ...['/v2/posts', '/v2/posts?limit=2&resolved=false', '/v2/posts?sort=last_activity_at', '/v2/channels?joined=true'],
    ...['/v2/channels', '/v2/channels?%6aoined=true', '/v2/members', '/v2/members?q=a', '/v2/apps', '/v2/threads'],
    ...['/v2/me', '/v2/workspace', '/v2/emoji', '/v2/inbox', '/v2/inbox?unread=true', '/v2/unread', '/v2/saved'],
    ...(shown ? [`/v2/unread/posts?ids=${shown}`, `/v2/reactions?ids=${shown}`, `/v2/edits?ids=${shown}`] : []),
    ...(shown ? [`/v2/markdown?ids=${shown}`] : []),
    ...each(posts, (id) => `/v2/posts/${id}`),
    ...each(posts, (id) => `/v2/posts/${id}/comments`),
    ...each(posts, (id) => `/v2/posts/${id}/resolution`),
    ...each(posts, (id) => `/v2/follows/${id}`),
    ...each(posts, (id) => `/v2/reactions/${id}`),
    ...each(messages, (id) => `/v2/reactions/${id}`),
    ...each(comments, (id) => `/v2/comments/${id}`),
    ...each(channels, (id) => `/v2/channels/${id}`),
    ...each(channels, (id) => `/v2/channels/${id}/members`),
    ...each(channels, (id) => `/v2/channels/${id}/pins`),
    ...each(channels, (id) => `/v2/posts?channel_id=${id}`),
    ...each(threads, (id) => `/v2/threads/${id}`),
    ...each(threads, (id) => `/v2/threads/${id}/messages`),
    ...each(messages, (id) => `/v2/messages/${id}`),
    ...each(members, (id) => `/v2/members/${id}`),
    ...each(members, (id) => `/v2/members/${id}/profile`),
    ...each(members, (id) => `/v2/posts?author_id=${id}`),
  ]
}

const ask = (who: Person, { url }: Running, path: string, etag?: string) =>
  fetch(url + path, { headers: { Authorization: `Bearer ${who.token}`, ...(etag && { 'If-None-Match': etag }) } })

/** What a browser shows: its own copy if the server says that it is still valid. */
const copies = new Map<string, { etag: string; text: string }>()
const counts = { unchanged: 0 }

async function readWithCopy(who: Person, node: Running, path: string): Promise<[number, string]> {
  const name = `${who.id} ${path}`
  const response = await ask(who, node, path, copies.get(name)?.etag)
  if (response.status === 304) {
    counts.unchanged++
    return [200, copies.get(name)!.text]
  }
  const text = await response.text()
  const etag = response.headers.get('etag')
  if (etag) copies.set(name, { etag, text })
  else copies.delete(name)
  return [response.status, text]
}

async function readFresh(who: Person, path: string): Promise<[number, string]> {
  const response = await ask(who, fresh, path)
  return [response.status, await response.text()]
}

/** Without the port of the node, and what differs in each error. */
const plain = ([status, text]: [number, string]) => [
  status,
  text.replaceAll(/http:\/\/localhost:\d+/g, '').replaceAll(/"request_id":"[^"]*"/g, ''),
]

async function settle() {
  for (const server of [...nodes, fresh]) await server.inboxFiller()!.tick()
}

/** Jobs may change an inbox between the two reads: then both are read once more. */
async function expectCurrent(who: Person, node: Running, path: string) {
  const seen = plain(await readWithCopy(who, node, path))
  const current = plain(await readFresh(who, path))
  if (Bun.deepEquals(seen, current)) return
  await settle()
  expect({ path, answer: plain(await readWithCopy(who, node, path)) }).toEqual({
    path,
    answer: plain(await readFresh(who, path)),
  })
}

/** On SQLite, callers are remembered: what is known of them must be what the database says. */
async function expectKnownCallers() {
  const { engine, findBearer, clock } = nodes[0].parley
  for (const name of callers) {
    const { token } = cast[name]
    const known = await Promise.resolve()
      .then(() => findBearer(token, clock()))
      .catch((error) => error.code)
    if (typeof known === 'string') continue
    // Jobs may have changed the rest meanwhile.
    const { last_used_at, last_seen_at, personal_nonce, revision, nonce, ...row } = known.row
    const rows = await engine.read((db) => findBearers(db, [row.hash]))
    expect(rows.get(row.hash)).toMatchObject(row)
    const hashes = await engine.read((db) => findVisibilityHashes(db, [row.author_key]))
    expect(row.visibility_hash).toBe(hashes.get(row.author_key)!)
  }
}

test('no response is out of date after any write, on any node', async () => {
  const random = newRandom(SEED)
  const { gus, bob, general, root } = cast
  await root.channels.addMember({ channel_id: general.id, member_id: gus.id })
  const hidden = await root.channels.create({ name: 'hidden', private: true })
  records.channels.push(hidden.id)
  await root.channels.addMember({ channel_id: hidden.id, member_id: bob.id })
  // These would only end the test early.
  const names = randomWriteNames.filter((name) => !/^(tokens|apps\.delete|sessions)/.test(name))
  for (let write = 0; write < WRITES; write++) {
    const who = cast[random.pick(callers)]
    await writeSome(random.pick(names), atNode(who, random.pick(nodes)), random)
    for (let read = 0; read < PATHS_PER_WRITE; read++) {
      const [node, path] = [random.pick(nodes), random.pick(pathsOf(records))]
      // The second time a response comes from the cache; those of members may come from each other.
      for (const name of ['ada', 'bob', random.pick(callers), 'ada', 'bob'] as const)
        await expectCurrent(cast[name], node, path)
    }
    if (write % 10 === 0) await expectKnownCallers()
  }
  // Most responses were still valid, so this was about caches.
  expect(counts.unchanged).toBeGreaterThan(WRITES / 5)
}, 600_000)

/** Writes may be refused. */
async function writeSome(name: OperationName, who: Person, random: ReturnType<typeof newRandom>) {
  try {
    await writeRandomly(name, who, records, random)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status >= 500) throw error
  }
}

describe('what one person does for themselves', () => {
  const isPersonalOnly = (types: readonly string[]) => types.length > 0 && types.every(isPersonal)

  test('leaves the responses of everyone else as they are, and updates their own', async () => {
    const cast = await world(nodes[0])
    const { ada, bob, root, general } = cast
    const post = await root.posts.create({ channel_id: general.id, content_markdown: 'Read me' })
    await settle()
    const personal: (() => Promise<unknown>)[] = [
      () => ada.reads.set({ subject_id: post.id }),
      () => ada.reads.unset({ subject_id: post.id }),
      () => ada.reads.setAll({}),
      () => ada.follows.set({ subject_id: post.id, level: 'all' }),
      () => ada.saved.set({ post_id: post.id }),
      () => ada.drafts.save({ subject_id: post.id, content_markdown: 'Perhaps' }),
      () => ada.drafts.delete({ subject_id: post.id }),
      () => ada.saved.unset({ post_id: post.id }),
    ]
    for (const [at, act] of personal.entries()) {
      await settle()
      const shared = [
        '/v2/posts',
        `/v2/posts/${post.id}`,
        '/v2/channels',
        '/v2/members',
        `/v2/posts/${post.id}/comments`,
      ]
      const own = ['/v2/unread', '/v2/inbox', '/v2/saved', `/v2/unread/posts?ids=${post.id}`]
      const etag = async (who: Person, path: string) => (await ask(who, nodes[0], path)).headers.get('etag')
      const before = {
        bob: await Promise.all([...shared, ...own].map((path) => etag(bob, path))),
        content: await Promise.all(shared.map((path) => etag(ada, path))),
        own: await Promise.all(own.map((path) => etag(ada, path))),
      }
      const count = (await cast.eventRows()).length
      await act()
      const types = (await cast.eventRows()).slice(count).map(({ type }) => type)
      expect({ at, isPersonal: isPersonalOnly(types) }).toEqual({ at, isPersonal: true })
      expect(await Promise.all([...shared, ...own].map((path) => etag(bob, path)))).toEqual(before.bob)
      expect(await Promise.all(shared.map((path) => etag(ada, path)))).toEqual(before.content)
      for (const [number, path] of own.entries()) expect(await etag(ada, path)).not.toBe(before.own[number]!)
    }
  })
})

describe('callers who see the same', () => {
  /** Their ETags are the same where they share a response. */
  const etags = (path: string, ...people: Person[]) =>
    Promise.all(people.map(async (who) => (await ask(who, nodes[0], path)).headers.get('etag')))
  const areShared = async (path: string, ...people: Person[]) => new Set(await etags(path, ...people)).size === 1

  test('share responses about content, until one of them sees more', async () => {
    const cast = await world(nodes[0])
    const { ada, vic, root, general } = cast
    const post = await root.posts.create({ channel_id: general.id, content_markdown: 'For all' })
    const eve = await another(cast, 'eve')
    const paths = ['/v2/posts', `/v2/posts/${post.id}`, `/v2/posts/${post.id}/comments`, '/v2/channels', '/v2/members']
    for (const path of paths) expect([path, await areShared(path, ada, eve)]).toEqual([path, true])
    // Another role, and what is about the caller.
    for (const path of paths) expect([path, await areShared(path, ada, vic)]).toEqual([path, false])
    for (const path of ['/v2/channels?joined=true', '/v2/me', '/v2/unread', '/v2/channels?%6aoined=true'])
      expect([path, await areShared(path, ada, eve)]).toEqual([path, false])

    const secret = await root.channels.create({ name: 'secret', private: true })
    await root.channels.addMember({ channel_id: secret.id, member_id: ada.id })
    for (const path of paths) expect([path, await areShared(path, ada, eve)]).toEqual([path, false])
    await root.channels.addMember({ channel_id: secret.id, member_id: eve.id })
    for (const path of paths) expect([path, await areShared(path, ada, eve)]).toEqual([path, true])
    // Made public, it is nothing that they alone see.
    const fay = await another(cast, 'fay')
    expect(await areShared('/v2/posts', ada, fay)).toBe(false)
    await root.channels.update({ id: secret.id, private: false })
    expect(await areShared('/v2/posts', ada, fay)).toBe(true)
  })

  test('share what one of them has read from the database', async () => {
    const cast = await world(nodes[0])
    const { ada, root, general } = cast
    const eve = await another(cast, 'eve')
    await root.posts.create({ channel_id: general.id, content_markdown: 'For all' })
    await settle()
    const read = async (who: Person) => (await ask(who, nodes[0], '/v2/posts?limit=7')).text()
    // A response is cached the second time.
    const seen = [await read(ada), await read(ada)]
    const statements = statementsOf(nodes[0])
    statements.length = 0
    seen.push(await read(eve))
    expect(statements.filter((sql) => /posts|channels/.test(sql))).toEqual([])
    expect(new Set(seen).size).toBe(1)
  })

  test('are guests of the same channels, but for what they see of members', async () => {
    const cast = await world(nodes[0])
    const { root, gus, general } = cast
    const guest = await another(cast, 'second', 'guest')
    await root.posts.create({ channel_id: general.id, content_markdown: 'For guests' })
    await root.channels.addMember({ channel_id: general.id, member_id: gus.id })
    expect(await areShared('/v2/posts', gus, guest)).toBe(false)
    await root.channels.addMember({ channel_id: general.id, member_id: guest.id })
    expect(await areShared('/v2/posts', gus, guest)).toBe(true)
    for (const path of [
      '/v2/members',
      '/v2/channels',
      '/v2/apps',
      `/v2/members/${root.id}`,
      `/v2/posts?author_id=${gus.id}`,
    ])
      expect([path, await areShared(path, gus, guest)]).toEqual([path, false])
    await root.channels.removeMember({ channel_id: general.id, member_id: guest.id })
    expect((await (await ask(guest, nodes[0], '/v2/posts')).json()).data).toEqual([])
  })

  test('do not share what is in a thread: its messages, and the reactions to them', async () => {
    const cast = await world(nodes[0])
    const { ada, root } = cast
    const eve = await another(cast, 'eve')
    const message = await ada.messages.createDirect({ member_id: root.id, content_markdown: 'Between us' })
    await root.reactions.add({ subject_id: message.id, emoji: '👍' })
    await settle()
    for (const path of [
      `/v2/messages/${message.id}`,
      `/v2/threads/${message.thread_id}`,
      `/v2/threads/${message.thread_id}/messages`,
      `/v2/reactions/${message.id}`,
    ]) {
      for (let read = 0; read < 3; read++) expect((await ask(ada, nodes[0], path)).status).toBe(200)
      expect([path, (await ask(eve, nodes[0], path)).status]).toEqual([path, 404])
    }
  })

  test.each(['posts', 'channels'] as const)(
    'do not share one of %s that only one of them just got to see',
    async (noun) => {
      const server = await startTestServer({ DATABASE_POOL: '8' })
      const cast = await world(server)
      const { ada, root } = cast
      const eve = await another(cast, 'eve')
      const secret = await root.channels.create({ name: 'secret', private: true })
      const post = await root.posts.create({ channel_id: secret.id, content_markdown: 'Secret' })
      const path = `/v2/${noun}/${noun === 'posts' ? post.id : secret.id}`
      for (const who of [ada, eve]) expect((await ask(who, server, path)).status).toBe(404)
      await server.inboxFiller()!.tick()
      const { engine } = server.parley
      const { read } = engine
      const [waiting, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      let isHeld = false
      // Stands for a read that waits for a connection.
      engine.read = async (work) => {
        if (!isHeld && /actionNamed/.test(String(work))) {
          isHeld = true
          waiting.resolve()
          await going.promise
        }
        return read(work)
      }
      const first = ask(ada, server, path)
      await waiting.promise
      const second = ask(eve, server, path)
      await Bun.sleep(100)
      await root.channels.addMember({ channel_id: secret.id, member_id: ada.id })
      going.resolve()
      await first
      expect((await second).status).toBe(404)
      engine.read = read
    },
  )

  test('of another workspace are not among them', async () => {
    const [one, other] = [await world(nodes[0]), await world(nodes[0])]
    for (const path of ['/v2/posts', '/v2/channels', '/v2/members', '/v2/workspace', '/v2/emoji'])
      expect([path, await areShared(path, one.ada, other.ada)]).toEqual([path, false])
  })

  async function another({ root, tokenFor }: World, name: string, role: 'member' | 'guest' = 'member') {
    const email = `${name}.${crypto.randomUUID()}@example.com`
    const { id } = await root.members.create({ email, display_name: name, role })
    return tokenFor(id, ['admin'])
  }
})
