import { afterEach, describe, expect, test } from 'bun:test'
import type { ServerOptions } from '../../src/server'
import type { Deadlines } from '../../src/store/engines/postgres/deadlines'
import { expectConsistent } from '../consistency'
import { ownTime } from '../cpu-time'
import { type LossyLink, openLossyLink } from '../lossy-proxy'
import { bugs, engineUnderTest, newMigratedDatabase, startTestServer } from '../server'
import { world } from '../world'
import { waitUntil } from './child'
import { reported } from './report'

/** Short, so that the tests are; the promises are tested with the real ones. */
const deadlines: Partial<Deadlines> = { connectMs: 1_000, beginMs: 1_500, silenceMs: 500, checkMs: 1_000 }
/** Without the time in which others had the processor. */
const MAX_SECONDS = 10
const BACK_WITHIN_SECONDS = 5

let link: LossyLink
afterEach(() => link?.[Symbol.asyncDispose]())

/** A server that reaches its database over a link that loses what it is told to. */
async function serve(options: ServerOptions = { deadlines }) {
  const database = await newMigratedDatabase()
  const url = new URL(database.url)
  link = await openLossyLink(Number(url.port))
  url.port = String(link.port)
  /** Called with each statement and each step of a transaction before it is sent. */
  const before = { statement: (_sql: string) => {} }
  const server = await startTestServer(
    { DATABASE_URL: url.toString() },
    { ...options, onStatement: (sql) => before.statement(sql), onStep: (step) => before.statement(step) },
  )
  // No statements in the background.
  await Promise.all([server.inboxFiller()!.close(), server.searchIndexing()!.close(), server.dispatcher()!.close()])
  return { ...(await world(server)), before }
}

type Served = Awaited<ReturnType<typeof serve>>

/** The response, after how many seconds, and what the caller is told. */
async function answerTo(request: Promise<Response>) {
  const started = ownTime()
  const response = await request
  const { detail = '' } = (await response.json()) as { detail?: string }
  const seconds = (ownTime() - started) / 1000
  return { status: response.status, retryAfter: response.headers.get('retry-after'), seconds, detail }
}

async function expectUnavailable(request: Promise<Response>, words = /Nothing was changed/) {
  const answer = await answerTo(request)
  expect(answer).toMatchObject({ status: 503, retryAfter: expect.stringMatching(/^\d+$/) })
  expect(answer.detail).toMatch(words)
  expect(answer.seconds).toBeLessThan(MAX_SECONDS)
  return answer
}

const get = ({ raw, ada }: Served, path: string) => raw(ada, path)
const post = ({ raw, ada, general }: Served, key: string) =>
  raw(ada, '/v2/posts', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
    body: JSON.stringify({ channel_id: general.id, content_markdown: 'Lunch?' }),
  })

/** Everything works again. */
const isBack = async (cast: Served) => {
  const answers = await Promise.all([get(cast, '/v2/me'), get(cast, '/v2/posts'), get(cast, '/readyz')])
  return answers.every(({ status }) => status === 200)
}

/** Waits for that. Returns after how many seconds. */
async function waitUntilBack(cast: Served, isBackToo = async () => true): Promise<number> {
  const started = ownTime()
  await waitUntil(async () => (await isBack(cast)) && (await isBackToo()))
  const seconds = (ownTime() - started) / 1000
  expect(seconds).toBeLessThan(BACK_WITHIN_SECONDS)
  return seconds
}

/** Loses the replies to the first statement like this, and to all after it for a second. */
async function loseRepliesTo({ before, server }: Served, pattern: RegExp) {
  // Or else the first one could be that of an earlier request, in the background.
  await server.parley.presence.settled()
  const lost = { count: 0 }
  before.statement = (sql) => {
    if (!pattern.test(sql)) return
    lost.count += 1
    if (lost.count > 1) return
    link.lose('replies')
    setTimeout(() => link.restore(), 1_000)
  }
  return lost
}

if (engineUnderTest === 'postgres') {
  describe('if the replies to one request are lost for a second', () => {
    const reads = {
      'the look-up of a token': { path: '/v2/me', pattern: /"tokens"/ },
      'a page': { path: '/v2/posts', pattern: /"posts"/ },
      'a search': { path: '/v2/search?q=lunch', pattern: /websearch|tsquery|jsonb_to_recordset/ },
    }
    test.each(Object.entries(reads))(
      'during %s, it gets 503, and the next one works',
      async (_, { path, pattern }) => {
        const cast = await serve()
        expect((await get(cast, path)).status).toBe(200)
        const lost = await loseRepliesTo(cast, pattern)
        await expectUnavailable(get(cast, `${path}${path.includes('?') ? '&' : '?'}limit=3`))
        expect(lost.count).toBeGreaterThan(0)
        await waitUntilBack(cast)
      },
      300_000,
    )

    test('before the commit of a write, it gets 503 and nothing was changed', async () => {
      const cast = await serve()
      await loseRepliesTo(cast, /^insert into "posts"/i)
      await expectUnavailable(post(cast, 'before'), /Nothing was changed/)
      await waitUntilBack(cast)
      expect((await cast.ada.posts.list()).total_count).toBe(0)
      // Its transaction does not keep the workspace locked.
      expect((await answerTo(post(cast, 'before'))).status).toBe(201)
      expect((await cast.ada.posts.list()).total_count).toBe(1)
    }, 300_000)

    const directions = [
      ['replies', 1],
      ['requests', 0],
    ] as const
    test.each(directions)(
      'at the commit of a write, it is not sent again, if %s are lost',
      async (direction, saved) => {
        const cast = await serve()
        await post(cast, 'first')
        // Or else what is lost could be the commit of another transaction, before that of the post.
        await cast.server.parley.presence.settled()
        let sent = 0
        let isComplete = false
        cast.before.statement = (sql) => {
          if (/^insert into "posts"/i.test(sql)) sent += 1
          if (/^insert into "events"/i.test(sql)) isComplete = sent > 0
          if (sql !== 'COMMIT' || !isComplete) return
          link.lose(direction)
          setTimeout(() => link.restore(), 1_000)
        }
        await expectUnavailable(post(cast, 'second'), /may or may not be saved.*Idempotency-Key/)
        await waitUntilBack(cast)
        expect(sent).toBe(1)
        cast.before.statement = () => {}
        expect((await cast.ada.posts.list()).total_count).toBe(1 + saved)
        // The caller repeats it, and it exists once.
        expect((await answerTo(post(cast, 'second'))).status).toBe(201)
        expect((await cast.ada.posts.list()).total_count).toBe(2)
        await expectConsistent(cast.server)
      },
      300_000,
    )

    test('/readyz says so, as it goes the way of the requests', async () => {
      const cast = await serve()
      expect((await get(cast, '/readyz')).status).toBe(200)
      link.lose('replies')
      const hanging = get(cast, '/v2/me')
      const answer = await answerTo(get(cast, '/readyz'))
      expect(answer).toMatchObject({ status: 503, retryAfter: '1' })
      expect(answer.seconds).toBeLessThan(MAX_SECONDS)
      await expectUnavailable(hanging)
      link.restore()
      await waitUntilBack(cast)
    }, 300_000)
  })

  test('idle connections that a firewall forgot are replaced', async () => {
    const cast = await serve()
    await Promise.all(Array.from({ length: 8 }, (_, at) => get(cast, `/v2/posts?limit=${at + 1}`)))
    link.forgetConnections()
    const answers = await Promise.all([answerTo(get(cast, '/v2/me')), answerTo(post(cast, 'forgotten'))])
    for (const { status, seconds } of answers) {
      expect([200, 201, 503]).toContain(status)
      expect(seconds).toBeLessThan(MAX_SECONDS)
    }
    await waitUntilBack(cast)
    expect((await answerTo(post(cast, 'forgotten'))).status).toBe(201)
  }, 300_000)

  test(
    'while all packets are swallowed, each of many requests gets 503 within 10 s; 5 s later all is well',
    reported(
      'Is a network to PostgreSQL that swallows packets survived, under load?',
      '503 within 10 s, back by itself within 5 s, nothing acknowledged lost',
      async () => {
        // With all that a server waits for by default.
        const cast = await serve({ deadlines: undefined, requestQueue: undefined })
        const acknowledged = [await answerTo(post(cast, 'before'))].filter(({ status }) => status === 201).length
        const bursts: Promise<{ seconds: number }>[] = []
        const burst = () => {
          for (let at = 0; at < 20; at++)
            bursts.push(
              expectUnavailable(get(cast, `/v2/posts?limit=${at + 1}`)),
              expectUnavailable(post(cast, crypto.randomUUID()), /Nothing was changed|may or may not/),
            )
        }
        link.lose('requests', 'replies')
        for (let at = 0; at < 4; at++) {
          burst()
          await Bun.sleep(1_000)
        }
        const slowest = Math.max(...(await Promise.all(bursts)).map(({ seconds }) => seconds))
        link.restore()
        const back = await waitUntilBack(cast, async () => (await answerTo(post(cast, 'after'))).status === 201)
        expect((await cast.ada.posts.list()).total_count).toBe(acknowledged + 1)
        expect(bugs).toEqual([])
        return `${bursts.length} requests told 503, the slowest after ${slowest.toFixed(1)} s; back after ${back.toFixed(1)} s`
      },
    ),
    300_000,
  )
} else {
  test('SQLite has no connections that can be lost', () => expect(engineUnderTest).toBe('sqlite'))
}
