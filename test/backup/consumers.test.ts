import { afterEach, expect, setDefaultTimeout, test } from 'bun:test'
import type { Post } from '../../src/contract/posts'
import { createClient } from '../client'
import { engineUnderTest } from '../server'
import { waitUntil } from '../torture/child'
import { expectNothingLost, load } from '../torture/load'
import { openReceiver } from '../webhooks/receiver'
import {
  backup,
  expectDone,
  expectSound,
  openTestDatabases,
  restore,
  type Served,
  serveAgain,
  serveNew,
  write,
} from './backups'

// Servers and commands are processes of their own.
setDefaultTimeout(300_000)
const PATIENCE_MS = 120_000

const ENV = { WEBHOOK_NETWORKS: '127.0.0.0/8', SECRET_KEY: 'a key of the test servers, of no use elsewhere' }
const databases = openTestDatabases()
afterEach(databases.clear)

async function* eachPost({ admin }: Served) {
  for (let after: string | undefined; ; ) {
    const page = await admin.posts.list({ after, direction: 'asc' })
    yield* page.data
    if (!page.next_cursor) return
    after = page.next_cursor
  }
}

/** A client that remembers what it read by its ETag, as a browser does. */
function openReader({ token }: Served) {
  let etag = ''
  return async ({ child }: Served) => {
    const headers = { Authorization: `Bearer ${token}`, ...(etag && { 'If-None-Match': etag }) }
    const response = await fetch(`${child.url}/v2/posts`, { headers })
    etag = response.headers.get('etag')!
    const body = response.status === 200 ? ((await response.json()) as { data: Post[] }) : undefined
    return { status: response.status, titles: body?.data.map(({ title }) => title) }
  }
}

/** A consumer that follows the log wherever the server is, and reads all posts again when it is told to. */
function openConsumer(first: Served) {
  const ending = new AbortController()
  const state = { server: first, ids: new Set<string>(), resets: 0, reread: Promise.resolve() }
  const here = ((url: string, init: RequestInit) =>
    fetch(url.replace(first.child.url, state.server.child.url), init)) as typeof fetch
  const client = createClient({ baseUrl: first.child.url, token: first.token, fetch: here })

  const readAgain = async (ids: Set<string>) => {
    for await (const { id } of eachPost(state.server)) ids.add(id)
  }
  const onReset = () => {
    state.resets += 1
    state.ids = new Set()
    state.reread = readAgain(state.ids)
  }
  const following = (async () => {
    const stream = client.events.stream({ types: ['post.created'], onReset }, { signal: ending.signal })
    for await (const { data } of stream) state.ids.add((data as Post).id)
  })()
  return Object.assign(state, {
    async stop() {
      ending.abort()
      await following
    },
  })
}

test('a client, a stream and a webhook notice a restore under load', async () => {
  const receiver = openReceiver()
  let served = await serveNew(databases, ENV)
  await served.admin.webhooks.create({ url: receiver.url, types: ['post.created'] })
  const consumer = openConsumer(served)
  const read = openReader(served)
  const isDelivered = ({ id }: Post) => receiver.received.some(({ event }) => (event.data as Post).id === id)

  // A backup in the middle of writing; then more is written, which all three get to know.
  const work = load(served.child, served.admin, served.channel_id)
  await waitUntil(() => work.state.done.length > 50)
  const file = databases.newFile()
  await expectDone(backup(served.url, file))
  await work.stop()
  const lost = await write(served, 'Lost with the restore')
  await waitUntil(() => consumer.ids.has(lost.id) && isDelivered(lost), PATIENCE_MS)
  await read(served)
  expect((await read(served)).status).toBe(304)
  const idsBefore = new Set(receiver.received.map(({ event }) => event.id))

  // On PostgreSQL the server keeps running; SQLite wants the file for itself.
  if (engineUnderTest === 'sqlite') await served.child.stop()
  await expectDone(restore(served.url, file, ['--force'], ENV))
  if (engineUnderTest === 'sqlite') served = await serveAgain(databases, served.url, served.token, ENV)
  consumer.server = served

  // As many as were lost, and more: every number is given out again.
  const more = load(served.child, served.admin, served.channel_id)
  await waitUntil(() => more.state.done.length > work.state.done.length + 50, PATIENCE_MS)
  const { done } = await more.stop()
  const last = await write(served, 'After the restore')
  await expectNothingLost(served.url, done)

  const again = await read(served)
  expect([again.status, again.titles?.[0]]).toEqual([200, 'After the restore'])
  await expect(served.admin.posts.get({ id: lost.id })).rejects.toMatchObject({ code: 'not_found' })

  await waitUntil(() => consumer.resets === 1 && consumer.ids.has(last.id), PATIENCE_MS)
  await consumer.reread
  const there = (await Array.fromAsync(eachPost(served))).map(({ id }) => id)
  expect([...consumer.ids].sort()).toEqual(there.sort())

  await waitUntil(() => isDelivered(last), PATIENCE_MS)
  const news = receiver.received.filter(({ event }) => done.includes((event.data as Post).id))
  expect(new Set(news.map(({ event }) => event.id)).size).toBe(done.length)
  expect(news.filter(({ event }) => idsBefore.has(event.id))).toEqual([])
  await consumer.stop()
  receiver.stop()
  await served.child.stop()
  await expectSound(served.url, ENV)
})
