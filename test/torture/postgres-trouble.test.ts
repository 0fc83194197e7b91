import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import pg from 'pg'
import { ApiError, createClient } from '../client'
import { type Postgres, startPostgres } from '../postgres'
import { engineUnderTest } from '../server'
import { type Child, failToStart, launchChild, startChild, waitUntil } from './child'
import { expectNothingLost, expectOnlyUnavailable, load } from './load'
import { reported } from './report'

/** A separate PostgreSQL server, since it is stopped and started here. */
let postgres: Postgres
let child: Child | undefined
let databases = 0
const CUTS = 15
/** The goal of the long run; any machine, however busy, is given more time. */
const READY_WITHIN_MS = process.env.PARLEY_TORTURE === 'long' ? 5_000 : 60_000

/** The URL of a new database. */
async function newUrl(): Promise<string> {
  const name = `trouble_${++databases}`
  await onServer(`CREATE DATABASE ${name}`)
  return postgres.url.replace(/\/postgres$/, `/${name}`)
}

async function onServer(sql: string) {
  const client = new pg.Client({ connectionString: postgres.url })
  await client.connect()
  const { rows } = await client.query(sql)
  await client.end()
  return rows
}

const cutConnections = (url: string) =>
  onServer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${new URL(url).pathname.slice(1)}'`)

async function serving(url: string) {
  child = await startChild(url)
  const client = createClient({ baseUrl: child.url, token: await child.firstToken() })
  await waitUntil(child.isReady)
  const channel_id = (await client.channels.list()).data[0]!.id
  return { client, channel_id }
}

if (engineUnderTest === 'postgres') {
  beforeAll(async () => {
    postgres = await startPostgres()
  }, 300_000)
  afterEach(async () => {
    await child?.kill()
    child = undefined
  })
  afterAll(() => postgres.destroy())

  describe('if PostgreSQL is unavailable', () => {
    test('at the start, the server logs it, waits, and listens once it is available', async () => {
      const url = await newUrl()
      await postgres.stop()
      const { output, listening } = launchChild(url)
      await waitUntil(() => /does not answer.*Waiting for it/.test(output.errors))
      expect(output.text).toBe('')

      await postgres.start()
      child = await listening
      await waitUntil(child.isReady)
      const client = createClient({ baseUrl: child.url, token: await child.firstToken() })
      expect((await client.posts.list()).data.length).toBeGreaterThan(0)
      expect(child.output.errors).not.toMatch(/\bat .*:\d+:\d+/)
    }, 300_000)

    test(
      'while serving: 503 and no bug, ready again soon after, nothing acknowledged is lost',
      reported(
        'Is a restart of PostgreSQL survived, under load?',
        '503 meanwhile, back by itself within 5 s, nothing acknowledged lost',
        async () => {
          const url = await newUrl()
          const { client, channel_id } = await serving(url)
          const work = load(child!, client, channel_id)
          await waitUntil(() => work.state.done.length > 50)
          await postgres.stop()
          await waitUntil(async () => (await fetch(`${child!.url}/readyz`)).status === 503)
          const before = work.state.refused.length
          await waitUntil(() => work.state.refused.length > before + 10)

          await postgres.start()
          const again = performance.now()
          await waitUntil(child!.isReady, READY_WITHIN_MS)
          const seconds = (performance.now() - again) / 1000
          const there = work.state.done.length
          await waitUntil(() => work.state.done.length > there + 50)
          const { done, refused } = await work.stop()
          expectOnlyUnavailable(child!, refused)
          await expectNothingLost(url, done)
          return `${seconds.toFixed(1)} s; 0 of ${done.length} acknowledged writes lost, ${refused.length} told 503`
        },
      ),
      300_000,
    )
  })

  test(
    'connections that are cut under load are answered 2xx or 503, and nothing acknowledged is lost',
    reported(
      'Are cut connections to PostgreSQL survived, under load?',
      '2xx or 503, nothing acknowledged lost',
      async () => {
        const url = await newUrl()
        const { client, channel_id } = await serving(url)
        const work = load(child!, client, channel_id)
        let cuts = 0
        await waitUntil(async () => {
          await Bun.sleep(60)
          await cutConnections(url)
          cuts += 1
          return cuts >= CUTS && work.state.refused.length > 0
        })
        const there = work.state.done.length
        await waitUntil(() => work.state.done.length > there + 50 || work.state.died.length > 0)
        const { done, refused } = await work.stop()
        expectOnlyUnavailable(child!, refused)
        await expectNothingLost(url, done)
        return `0 of ${done.length} acknowledged writes lost in ${cuts} cuts of all connections, ${refused.length} told 503`
      },
    ),
    300_000,
  )

  test(
    'a full disk refuses writes with 503, goes on reading, and recovers by itself',
    reported(
      'Is a full disk survived?',
      '503 meanwhile, reads go on, back by itself, nothing acknowledged lost',
      async () => {
        const url = await newUrl()
        const { client, channel_id } = await serving(url)
        const limit = async (bytes: number | 'unlimited') => {
          await postgres.limitFiles(bytes)
          await cutConnections(url)
        }
        await limit(5_000_000)
        const state = { done: [] as string[], refused: [] as ApiError[] }
        const fill = async () => {
          while (state.refused.filter(({ detail }) => /disk/.test(detail)).length < 5)
            try {
              const noise = Buffer.from(crypto.getRandomValues(new Uint8Array(9_000))).toString('hex')
              const content_markdown = noise.replace(/.{60}/g, '$& ')
              state.done.push((await client.posts.create({ channel_id, content_markdown })).id)
            } catch (error) {
              expect(error).toBeInstanceOf(ApiError)
              state.refused.push(error as ApiError)
            }
        }
        await Promise.all(Array.from({ length: 8 }, fill))
        expect((await client.posts.list({ limit: 1 })).data).toHaveLength(1)

        await limit('unlimited')
        await waitUntil(async () => (await client.posts.list({ limit: 1 }).catch(() => undefined)) !== undefined)
        const after = { channel_id, content_markdown: 'After' }
        await waitUntil(async () => (await client.posts.create(after).catch(() => undefined)) !== undefined)
        expectOnlyUnavailable(child!, state.refused)
        await expectNothingLost(url, state.done)
        return `0 of ${state.done.length} acknowledged writes lost, and the database agrees with itself`
      },
    ),
    300_000,
  )

  describe('the server does not start, and prints one line,', () => {
    const refusals: Record<string, { url(): Promise<string>; words: RegExp }> = {
      'where there is no such database': {
        url: async () => postgres.url.replace(/\/postgres$/, '/nowhere'),
        words: /Cannot use the database postgres:\/\/postgres:\*\*\*@\S+: there is no such database; create it first/,
      },
      'where the password is wrong': {
        url: async () => postgres.url.replace(':postgres@', ':wrong@'),
        words: /the password is wrong/,
      },
      'where the database is newer than the program': {
        async url() {
          const url = await newUrl()
          await serving(url)
          await child!.stop()
          const client = new pg.Client({ connectionString: url })
          await client.connect()
          await client.query("INSERT INTO schema_migrations VALUES (9999, 'from-the-future', 0)")
          await client.end()
          return url
        },
        words: /version 9999, this Parley knows only version \d+\. Use a newer Parley/,
      },
    }
    for (const [name, { url, words }] of Object.entries(refusals))
      test(name, async () => {
        const { code, stderr } = await failToStart(await url())
        expect(stderr).toMatch(words)
        expect(stderr).not.toMatch(/wrong@|\bat .*:\d+:\d+|this is a bug/)
        expect(code).toBe(1)
      }, 300_000)
  })
} else {
  test('failures of SQLite are in database-trouble.test.ts', () => expect(engineUnderTest).toBe('sqlite'))
}
