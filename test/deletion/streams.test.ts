import { afterAll, describe, expect, test } from 'bun:test'
import { openStreams } from '../../src/gate/live/changes'
import { answerEvents } from '../../src/http/live/events'
import { openSseConnection } from '../../src/http/live/sse-connection'
import type { Running } from '../../src/server'
import { wordsInEvents } from '../../src/store/changes/dependants'
import { redactEvents } from '../../src/store/log/redaction'
import { followLog } from '../events/following'
import { allEvents, endOfLog } from '../events/log'
import { waitUntil } from '../expectations'
import { newMigratedDatabase, startTestServer } from '../server'
import { type Person, type World, world } from '../world'
import { cases, found, newSecret } from './secrets'

const endings: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of endings.reverse()) await end()
})

/**
 * The stream as the server's runtime reads it: what is not read here has not been handed over. So a reader can be as slow
 * as it takes, without the buffers of the system in between.
 */
async function slowReader({ parley }: Running, { token }: Person, after: string) {
  const call = { name: 'events.list', token, url: '/v2/events', params: {}, readBody: async () => undefined } as const
  const headers = new Headers({ Accept: 'text/event-stream', 'Last-Event-ID': after })
  const { body } = await answerEvents(parley, call, new Request('http://localhost/v2/events', { headers }))
  const reader = (body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''
  return {
    text: () => text,
    /** The ids of the events that were read. */
    ids: () => [...text.matchAll(/^id: (\S+)\nevent: /gm)].map(([, id]) => id!),
    async readUntil(isEnough: (text: string) => boolean) {
      while (!isEnough(text)) {
        const { value, done } = await reader.read()
        if (done) throw new Error(`The stream ended after ${text.length} characters.`)
        text += decoder.decode(value, { stream: true })
      }
    },
    close: () => reader.cancel(),
  }
}

/** Until everything that is at hand for a reader was put ready for it. */
const settled = () => Bun.sleep(200)

/** Makes events of 90 kB, so that a few fill what is kept for one reader. */
const LONG = `\n\n${`${'word '.repeat(20)}\n\n`.repeat(900)}`

async function postLong({ ada, general }: World, secrets: string[]) {
  const posts = []
  for (const secret of secrets)
    posts.push(await ada.posts.create({ channel_id: general.id, content_markdown: secret + LONG }))
  return posts
}

/** One node, and two on one database. */
const places = {
  'on this node': async () => {
    const server = await startTestServer()
    endings.push(() => server.stop())
    return { writer: server, reader: server }
  },
  'on another node': async () => {
    const database = await newMigratedDatabase()
    endings.push(database.drop)
    const nodes = []
    for (const _ of ['writer', 'reader']) nodes.push(await startTestServer({ DATABASE_URL: database.url }))
    endings.push(...nodes.map((node) => () => node.stop()))
    return { writer: nodes[0]!, reader: nodes[1]! }
  },
}

for (const [where, start] of Object.entries(places))
  describe(`what is deleted ${where}`, async () => {
    for (const [name, make] of Object.entries(cases))
      test(`is not sent to a reader that has not read it yet: ${name}`, async () => {
        const { writer, reader } = await start()
        const cast = await world(writer)
        const after = await endOfLog(cast.ada)
        const slow = await slowReader(reader, cast.ada, after)
        const made = await make(cast)
        // Inboxes are filled some time later.
        await cast.fillInboxes()
        const quick = await followLog({ ...cast.ada, baseUrl: reader.url }, { lastEventId: after })
        await quick.until(({ type }) => type === made.types.at(-1))
        await settled()
        await made.remove()
        // The node that deleted it knows at once, another as soon as it hears of it.
        if (reader !== writer) await quick.until(({ type }) => type.endsWith('.deleted'))
        await slow.readUntil((text) => text.includes('.deleted'))
        expect(found(slow.text(), made)).toEqual([])
        expect(slow.ids()).toEqual((await allEvents(cast.ada, after)).map(({ id }) => id))
        quick.close()
        await slow.close()
      })

    test('is not sent to a client that is far behind', async () => {
      const { writer, reader } = await start()
      const cast = await world(writer)
      const after = await endOfLog(cast.ada)
      const secrets = Array.from({ length: 10 }, newSecret)
      const posts = await postLong(cast, secrets)
      const slow = await slowReader(reader, cast.ada, after)
      const quick = await followLog({ ...cast.ada, baseUrl: reader.url }, { lastEventId: after })
      await quick.count(posts.length)
      // Two were read, a few more are ready, and it waits in the middle of the rest.
      await slow.readUntil((text) => text.includes(secrets[1]!))
      await settled()
      for (const post of [posts[9]!, posts[3]!, posts[2]!]) await cast.ada.posts.delete({ id: post.id })
      if (reader !== writer)
        await quick.until(({ type, data }) => type === 'post.deleted' && (data as { id: string }).id === posts[2]!.id)
      await slow.readUntil((text) => text.split('event: post.deleted').length > 3)
      const kept = secrets.filter((_, at) => ![2, 3, 9].includes(at))
      expect(found(slow.text(), { secrets })).toEqual(kept)
      expect(slow.ids()).toEqual((await allEvents(cast.ada, after)).map(({ id }) => id))
      quick.close()
      await slow.close()
    }, 300_000)
  })

test('the node that deletes knows it before it reads the log', async () => {
  const cast = await world()
  const { ada, general, server, workspaceKey } = cast
  const after = await endOfLog(ada)
  const slow = await slowReader(server, ada, after)
  const secret = newSecret()
  const { id } = await ada.posts.create({ channel_id: general.id, content_markdown: secret })
  await settled()
  // As a deletion does, up to the moment at which its event is found in the log.
  await server.parley.engine.write((db) => redactEvents(db, workspaceKey, [id], wordsInEvents))
  server.parley.changes.notify(workspaceKey, true)
  await slow.readUntil((text) => text.includes('event: post.created'))
  expect(slow.text()).not.toContain(secret)
  expect(slow.text()).toContain(id)
  await slow.close()
})

describe('what a viewer may no longer see', () => {
  test('is not sent if they have not read it yet', async () => {
    const cast = await world()
    const { root, ada } = cast
    const channel = await root.channels.create({ name: 'plans', private: true })
    await root.channels.addMember({ channel_id: channel.id, member_id: ada.id })
    const after = await endOfLog(root)
    const slow = await slowReader(cast.server, ada, after)
    const [inside, archived, outside] = [newSecret(), newSecret(), newSecret()]
    const old = await root.channels.create({ name: 'old' })
    await root.posts.create({ channel_id: channel.id, content_markdown: inside })
    await root.posts.create({ channel_id: old.id, content_markdown: archived })
    await settled()
    await root.channels.removeMember({ channel_id: channel.id, member_id: ada.id })
    await root.channels.delete({ id: old.id })
    await settled()
    await root.posts.create({ channel_id: cast.general.id, content_markdown: outside })
    await slow.readUntil((text) => text.includes(outside))
    expect(found(slow.text(), { secrets: [inside, archived] })).toEqual([])
    await slow.close()
  })
})

describe('a client that is behind', () => {
  test('gets each event once and in order during deletions', async () => {
    const cast = await world()
    const { ada, general, server } = cast
    const after = await endOfLog(ada)
    const slow = await slowReader(server, ada, after)
    const posts: string[] = []
    let isOver = false
    const writing = (async () => {
      for (let turn = 0; turn < 120; turn++) {
        posts.push((await ada.posts.create({ channel_id: general.id, content_markdown: `Post ${turn}${LONG}` })).id)
        if (turn % 3 === 2) await ada.posts.delete({ id: posts.splice(turn % posts.length, 1)[0]! })
      }
      await ada.posts.create({ channel_id: general.id, content_markdown: 'The last' })
      isOver = true
    })()
    await slow.readUntil((text) => text.includes('The last'))
    await writing
    expect(isOver).toBe(true)
    expect(slow.ids()).toEqual((await allEvents(ada, after)).map(({ id }) => id))
    await slow.close()
  }, 300_000)
})

describe('an SSE connection', () => {
  const at = (revision: number) => ({ revision, nonce: 7 })
  const open = (maxStallMs?: number) => {
    let hasEnded = false
    const options = { isExpired: () => false, onEnd: () => (hasEnded = true), position: () => '', maxStallMs }
    return { ...openSseConnection(openStreams(), options), hasEnded: () => hasEnded }
  }

  test('discards unsent frames, and returns the position before them', async () => {
    const connection = open()
    const reader = connection.readable.getReader()
    const bytes = (text: string) => new TextEncoder().encode(text)
    await reader.read()
    expect(connection.discardUnsent()).toBeUndefined()
    const asked = reader.read()
    await connection.write(bytes('4'), at(4))
    await connection.write(bytes('5'), at(5))
    await connection.write(bytes('6'), at(6))
    expect(connection.discardUnsent()).toEqual(at(5))
    await connection.write(bytes('5 again'), at(5))
    const texts = [await asked, await reader.read()].map(({ value }) => new TextDecoder().decode(value))
    expect(texts).toEqual(['4', '5 again'])
    connection.end()
    expect((await reader.read()).done).toBe(true)
  })

  test('is closed if its client does not read, also after discarding', async () => {
    const connection = open(300)
    const piece = new Uint8Array(300 * 1024)
    const taking = setInterval(() => connection.discardUnsent(), 20)
    await waitUntil(async () => {
      if (!connection.hasEnded()) await connection.write(piece, at(1))
      return connection.hasEnded()
    })
    clearInterval(taking)
  })
})
