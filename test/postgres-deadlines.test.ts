import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { sql } from 'kysely'
import pg from 'pg'
import type { Reader } from '../src/store/engines/db'
import { type Engine, OutOfTime } from '../src/store/engines/engine'
import type { Deadlines } from '../src/store/engines/postgres/deadlines'
import { openEngine } from '../src/store/open'
import { openLossyLink } from './lossy-proxy'
import { engineUnderTest, newMigratedDatabase } from './server'
import { waitUntil } from './torture/child'

setDefaultTimeout(300_000)

/** So short that what takes two seconds takes longer than one of them, and so long that nothing else does on a busy machine. */
const short: Partial<Deadlines> = {
  silenceMs: 200,
  checkMs: 20_000,
  statementMs: 1_500,
  lockMs: 1_000,
  idleTransactionMs: 1_000,
  beginMs: 10_000,
}
const BUSY = { code: 'unavailable', detail: expect.stringMatching(/busy with other changes. Nothing was changed/) }
const AWAY = { code: 'unavailable', detail: expect.stringMatching(/does not answer. Nothing was changed/) }

const endings: (() => unknown)[] = []
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end()
})

function open(url: string, deadlines = short, poolSize = 2): Engine {
  const engine = openEngine(url, { poolSize, deadlines })
  endings.push(() => engine.close())
  return engine
}

async function newUrl(): Promise<string> {
  return (await newMigratedDatabase()).url
}

/** The URL of a new database behind a link that can lose what is sent. */
async function newLink() {
  const url = new URL(await newUrl())
  const link = await openLossyLink(Number(url.port))
  endings.push(link[Symbol.asyncDispose])
  url.port = String(link.port)
  return { link, url: url.toString() }
}

const sleep = (db: Reader, seconds: number) => sql`SELECT pg_sleep(${sql.lit(seconds)})`.execute(db as never)
/** Changes a row that all of these tests have, and locks it by that. */
const touch = (db: Reader) => sql`UPDATE search_state SET remaining = remaining`.execute(db as never)
const origin = { workspaceKey: 1 }

async function lockRow(url: string) {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query('BEGIN; UPDATE search_state SET remaining = remaining')
  endings.push(() => client.end())
  return client
}

const pidOf = async (db: Reader): Promise<unknown> =>
  (await sql<{ pid: number }>`SELECT pg_backend_pid() AS pid`.execute(db as never)).rows[0]!.pid

if (engineUnderTest === 'postgres') {
  describe('the pool', () => {
    test('opens connections as they are needed', async () => {
      const url = await newUrl()
      const engine = open(url, {}, 10)
      const count = async () => {
        const { pathname } = new URL(url)
        const sessions = sql<{ count: number }>`SELECT count(*)::int AS count FROM pg_stat_activity
          WHERE datname = ${pathname.slice(1)} AND backend_type = 'client backend'`
        return (await engine.read((db) => sessions.execute(db as never))).rows[0]!.count
      }
      for (let times = 0; times < 5; times++) expect(await count()).toBe(1)
      await Promise.all([1, 2, 3].map(() => engine.read((db) => sleep(db, 0.2))))
      const grown = await count()
      expect(grown).toBeGreaterThan(1)
      expect(grown).toBeLessThan(10)
    })
  })

  describe('a statement', () => {
    test('that the server works on for long is waited for', async () => {
      const { link, url } = await newLink()
      const engine = open(url, { ...short, statementMs: 30_000 }, 1)
      const before = await engine.read(pidOf)
      const opened = link.opened()
      await engine.read((db) => sleep(db, 2))
      // One to ask about it.
      expect(link.opened()).toBe(opened + 1)
      expect(await engine.read(pidOf)).toBe(before)
    })

    test('that takes too long is ended by the server, and its connection is used again', async () => {
      const engine = open(await newUrl(), short, 1)
      const before = await engine.read(pidOf)
      await expect(engine.read((db) => sleep(db, 10))).rejects.toMatchObject(AWAY)
      expect(await engine.read(pidOf)).toBe(before)
    })

    test('of a read may have a shorter limit, which is no sign of trouble', async () => {
      const engine = open(await newUrl(), {}, 1)
      const before = await engine.read(pidOf)
      await expect(engine.readWithin(100, (db) => sleep(db, 5))).rejects.toBeInstanceOf(OutOfTime)
      await engine.read((db) => sleep(db, 0.2))
      expect(await engine.readWithin(5_000, pidOf)).toBe(before)
    })

    test('that comes after its transaction has ended is refused', async () => {
      const engine = open(await newUrl(), {}, 1)
      const ended = Promise.withResolvers<void>()
      let late: Promise<unknown> | undefined
      const refuse = engine.write(async (db) => {
        late = ended.promise.then(() => touch(db))
        late.catch(() => {})
        throw new Error('Refused')
      })
      await expect(refuse).rejects.toThrow('Refused')
      await engine.write(async (db) => {
        ended.resolve()
        await sleep(db, 0.3)
        await expect(late).rejects.toMatchObject({ code: 'ERR_POSTGRES_CONNECTION_CLOSED' })
      })
    })
  })

  describe('a lock', () => {
    test('that is held for too long fails the statements that wait for it, and the ones behind them', async () => {
      const url = await newUrl()
      const holder = await lockRow(url)
      const engine = open(url, { ...short, statementMs: 30_000, idleTransactionMs: 30_000 })
      const writes = Array.from({ length: 150 }, () => engine.write(touch, origin))
      const started = performance.now()
      for (const { status, reason } of (await Promise.allSettled(writes)) as PromiseRejectedResult[]) {
        expect(status).toBe('rejected')
        expect(reason).toMatchObject(BUSY)
      }
      // One after the other would take 150 seconds.
      expect(performance.now() - started).toBeLessThan(40_000)
      await holder.query('ROLLBACK')
      await engine.write(touch, origin)
    })

    test('is not waited for in the queue for longer than until a write has to begin', async () => {
      const url = await newUrl()
      const holder = await lockRow(url)
      const long = { lockMs: 60_000, statementMs: 60_000, idleTransactionMs: 60_000 }
      const engine = open(url, { ...short, ...long, beginMs: 3_000 })
      const first = engine.write(touch, origin)
      await Bun.sleep(200)
      const second = engine.write(touch, origin)
      await expect(second).rejects.toMatchObject(BUSY)
      await holder.query('ROLLBACK')
      await first
    })

    test('of a transaction whose node does not continue is given up', async () => {
      const url = await newUrl()
      const long = { lockMs: 30_000, statementMs: 60_000 }
      const [frozen, other] = [
        open(url, { ...short, ...long, idleTransactionMs: 2_000 }),
        open(url, { ...short, ...long }),
      ]
      const [locked, written] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const writing = frozen.write(async (db) => {
        await touch(db)
        locked.resolve()
        await written.promise
        await touch(db)
      })
      await locked.promise
      // Before the first one continues.
      await other.write(touch)
      written.resolve()
      await expect(writing).rejects.toMatchObject(AWAY)
    })
  })

  describe('what takes long has deadlines of its own:', () => {
    test('a migration, and the nodes that wait for it', async () => {
      const url = await newUrl()
      const [first, second] = [open(url), open(url)]
      const migrating = first.migrate(async (db) => {
        await sleep(db, 2)
        await Bun.sleep(1_500)
        return 'done'
      })
      await Bun.sleep(100)
      const waiting = second.migrate((db) => touch(db))
      expect(await migrating).toBe('done')
      await waiting
    })

    test('a backup', async () => {
      const engine = open(await newUrl())
      await engine.snapshot(async (db) => {
        await sleep(db, 2)
        await Bun.sleep(1_500)
        await pidOf(db)
      })
      // Only that transaction.
      await expect(engine.read((db) => sleep(db, 10))).rejects.toMatchObject(AWAY)
    })

    test('a step of building the search index', async () => {
      const engine = open(await newUrl())
      await engine.writeAlone((db) => sleep(db, 2))
    })

    test('and if a reply to them is lost, they fail instead of waiting for hours', async () => {
      const { link, url } = await newLink()
      const engine = open(url)
      const migrating = engine.migrate(async (db) => {
        await touch(db)
        link.lose('replies')
        // When the reply is lost, and before it is missed.
        setTimeout(() => link.restore(), 1_500)
        await touch(db)
      })
      await expect(migrating).rejects.toThrow(/does not answer/)
      await engine.migrate((db) => touch(db))
    })
  })

  test('wake-ups are heard again after a firewall forgot the connection that listens', async () => {
    const { link, url } = await newLink()
    const engine = open(url, { listenEveryMs: 300, listenMs: 1_000 })
    const heard: number[] = []
    // Without keys, it is only the check every 750 ms.
    endings.push(engine.watch((keys) => void heard.push(...(keys ?? []))))
    const hears = (key: number) =>
      waitUntil(async () => {
        engine.notify(key)
        await Bun.sleep(50)
        return heard.includes(key)
      })
    await hears(7)
    link.forgetConnections()
    await hears(8)
  })

  test('reads and transactions take turns on one connection', async () => {
    // Each waits for all that are before it.
    const engine = open(await newUrl(), { beginMs: 120_000 }, 1)
    const works = Array.from({ length: 200 }, (_, at) => [
      engine.read(pidOf),
      at % 2 === 0 ? engine.writeAlone((db) => touch(db)) : engine.write(touch, { ...origin, workspaceKey: at % 5 }),
      engine.readSnapshot(pidOf),
    ])
    await Promise.all(works.flat())
    expect(engine.usage()).toEqual({
      connections: { max: 1, busy: 0, idle: 1 },
      waiting: { connection: 0, commit: 0 },
    })
  })
} else {
  test('SQLite has no connections that can be lost', () => expect(engineUnderTest).toBe('sqlite'))
}
