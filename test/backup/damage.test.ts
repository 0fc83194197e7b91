import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import pg from 'pg'
import { ApiError, type Client, createClient } from '../client'
import { parley } from '../command'
import { type Postgres, startPostgres } from '../postgres'
import { engineUnderTest, newMigratedDatabase } from '../server'
import { type Child, failToStart, startChild, waitUntil } from '../torture/child'
import { cutSqlite, damagePostgres, damageSqlite, foldWal } from './damage'

// Servers and commands are processes of their own.
setDefaultTimeout(300_000)

const POSTS = '3000'
const isSqlite = engineUnderTest === 'sqlite'

let postgres: Postgres | undefined
let child: Child | undefined
const drops: (() => Promise<void>)[] = []

beforeAll(async () => {
  // A server of our own: its files are overwritten.
  if (!isSqlite) postgres = await startPostgres()
})
afterEach(async () => {
  await child?.kill()
  child = undefined
  for (const drop of drops.splice(0)) await drop()
})
afterAll(() => postgres?.destroy())

/** A database with many posts that no server uses, and the token of its admin. */
async function newFilled() {
  const url = await newUrl()
  const first = await startChild(url)
  const token = await first.firstToken()
  await waitUntil(first.isReady)
  await first.stop()
  expect((await parley(['seed', '--posts', POSTS, '--members', '5'], { DATABASE_URL: url })).code).toBe(0)
  return { url, token }
}

async function newUrl(): Promise<string> {
  if (isSqlite) {
    const { url, drop } = await newMigratedDatabase()
    drops.push(drop)
    return url
  }
  const name = `damage_${crypto.randomUUID().replaceAll('-', '')}`
  const admin = new pg.Client({ connectionString: postgres!.url })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  await admin.end()
  return postgres!.url.replace(/\/postgres$/, `/${name}`)
}

const fileOf = (url: string) => url.slice('sqlite:'.length)

const damage = (url: string, table: string) =>
  isSqlite ? damageSqlite(fileOf(url), table) : damagePostgres(postgres!, url, table)

/** Reads every page of the list of posts and gives what was refused. */
async function readAll(client: Client): Promise<ApiError[]> {
  const refused: ApiError[] = []
  for (const sort of ['published_at', 'last_activity_at'] as const)
    for (const direction of ['asc', 'desc'] as const) {
      let after: string | undefined
      do {
        try {
          after = (await client.posts.list({ sort, direction, limit: 50, after })).next_cursor ?? undefined
        } catch (error) {
          expect(error).toBeInstanceOf(ApiError)
          refused.push(error as ApiError)
          break
        }
      } while (after)
    }
  return refused
}

function expectDamageTold(refused: readonly ApiError[]) {
  expect(refused.length).toBeGreaterThan(0)
  for (const { status, code, detail, headers } of refused) {
    expect({ status, code }).toEqual({ status: 503, code: 'unavailable' })
    expect(detail).toContain('The database is damaged')
    expect(headers.get('retry-after')).toMatch(/^\d+$/)
  }
}

async function expectServerSaysSo(damagedAt: number) {
  const readiness = await fetch(`${child!.url}/readyz`)
  expect([readiness.status, await readiness.json()]).toEqual([503, { status: 'database damaged' }])
  expect((await fetch(`${child!.url}/healthz`)).status).toBe(200)
  const { errors } = child!.output
  // Once a minute, however many requests meet it.
  const minutes = Math.floor((performance.now() - damagedAt) / 60_000)
  const lines = errors.match(/The database is damaged\. Stop the server, run `parley doctor`, and restore/g) ?? []
  expect(lines.length).toBeWithin(1, minutes + 2)
  expect(errors).not.toMatch(/Unexpected error|this is a bug/)
}

const examine = (url: string, ...options: string[]) => parley(['doctor', ...options], { DATABASE_URL: url })

describe('a damaged database', () => {
  test('responds with 503, is not ready, and logs what to do', async () => {
    const { url, token } = await newFilled()
    child = await startChild(url)
    await waitUntil(child.isReady)
    const client = createClient({ baseUrl: child.url, token })
    const damagedAt = performance.now()
    await damage(url, 'posts')
    await waitUntil(async () => (await client.me.get().catch(() => undefined)) !== undefined)
    expectDamageTold(await readAll(client))
    expectDamageTold(await readAll(client))
    await expectServerSaysSo(damagedAt)
    // What is not damaged can still be read.
    expect((await client.channels.list()).data.length).toBeGreaterThan(0)
  })

  test('is reported by doctor', async () => {
    const { url } = await newFilled()
    await damage(url, 'posts')
    const { code, stdout, stderr } = await examine(url, '--full')
    expect([code, stderr]).toEqual([1, ''])
    expect(stdout).toMatch(/✗ (file|data|database): .*(damaged|invalid page).* → .*restore/)
    if (isSqlite) expect((await examine(url)).stdout).toMatch(/✗ file: it is damaged: .+ → .*restore/)
  })

  test('passes the full check if it is intact', async () => {
    const { url } = await newFilled()
    const { code, stdout } = await examine(url, '--full')
    expect(stdout).not.toContain('✗')
    expect(stdout).toMatch(isSqlite ? /✓ file: PRAGMA integrity_check/ : /✓ data: all [\d,]+ rows can be read/)
    expect(code).toBe(0)
  })

  test('that is noticed at the start prevents it', async () => {
    const { url } = await newFilled()
    await damage(url, 'workspaces')
    const { code, stderr: errors } = await failToStart(url)
    expect(errors).toMatch(/damaged/)
    expect(errors).not.toMatch(/\bat .*:\d+:\d+|this is a bug/)
    expect(code).toBe(1)
    const { stdout, stderr } = await examine(url)
    expect(stderr).toBe('')
    expect(stdout).toMatch(/✗ .*damaged/)
  })

  if (isSqlite)
    test('that is truncated does not end a running server', async () => {
      const { url, token } = await newFilled()
      // Nothing is answered from memory.
      child = await startChild(url, { CACHE_MB: '0' })
      await waitUntil(child.isReady)
      const client = createClient({ baseUrl: child.url, token })
      expect(await readAll(client)).toEqual([])
      // No commit between the last read and the cut: nothing tells the readers that the file is another one.
      foldWal(fileOf(url))
      expect(await readAll(client)).toEqual([])
      const channel_id = (await client.channels.list()).data[0]!.id
      const damagedAt = performance.now()
      cutSqlite(fileOf(url))
      const refused = await readAll(client)
      // A write makes the readers forget the pages they have.
      await client.posts.create({ channel_id, content_markdown: 'Still there?' }).catch((error) => refused.push(error))
      expectDamageTold([...refused, ...(await readAll(client))])
      await expectServerSaysSo(damagedAt)
      const { code, stdout } = await examine(url)
      expect(code).toBe(1)
      expect(stdout).toMatch(/✗ .*(damaged|malformed)/)
    })
})
