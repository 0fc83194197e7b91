import { Database } from 'bun:sqlite'
import { afterAll, afterEach, describe, expect, test } from 'bun:test'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ApiError, createClient } from '../client'
import { heedingPermissions } from '../command'
import { findFaults } from '../consistency'
import { engineUnderTest } from '../server'
import { type Child, failToStart, inDatabase, startChild, waitUntil } from './child'
import { reported, reportFigure } from './report'

const NOBODY = 65_534
/** SQLite waits for a lock for 5 s. If requests waited for each other, the third would take 12 s. */
const MAX_SECONDS = process.env.PARLEY_TORTURE === 'long' ? 6.5 : 11

let child: Child | undefined
let folder = ''
afterEach(async () => {
  await child?.kill()
  child = undefined
  if (folder) rmSync(folder, { recursive: true, force: true })
})

const newFile = () => {
  folder = mkdtempSync(join(tmpdir(), 'parley-trouble-'))
  return join(folder, 'parley.db')
}

/** Starts a server, and returns it with a client of its admin and a channel. */
async function serving(file: string, env: Record<string, string> = {}, wrap: string[] = []) {
  child = await startChild(`sqlite:${file}`, env, wrap)
  const client = createClient({ baseUrl: child.url, token: await child.firstToken() })
  await waitUntil(child.isReady)
  const channel_id = (await client.channels.list()).data[0]!.id
  return {
    client,
    pid: child.pid,
    write: (words = 'Hello') => client.posts.create({ channel_id, content_markdown: words }),
  }
}

/** A database that is not in use. */
async function madeFile(): Promise<string> {
  const file = newFile()
  await serving(file)
  await child!.stop()
  const database = new Database(file)
  database.run('PRAGMA wal_checkpoint(TRUNCATE)')
  database.close()
  return file
}

async function refusalOf(work: Promise<unknown>): Promise<{ error: ApiError; seconds: number }> {
  const started = performance.now()
  const error = await work.then(
    () => undefined,
    (thrown) => thrown,
  )
  expect(error).toBeInstanceOf(ApiError)
  return { error, seconds: (performance.now() - started) / 1000 }
}

async function expectUnavailable(work: Promise<unknown>, words: RegExp) {
  const { error, seconds } = await refusalOf(work)
  expect({ status: error.status, code: error.code }).toEqual({ status: 503, code: 'unavailable' })
  expect(error.headers.get('retry-after')).toMatch(/^\d+$/)
  expect(error.detail).toMatch(words)
  return seconds
}

const starts = { tried: 0, plain: 0 }

/** Expects one readable line, without a stack trace. */
function expectPlainWords({ code, stderr }: { code: number; stderr: string }, words: RegExp) {
  starts.tried += 1
  expect(stderr).toMatch(words)
  expect(stderr).not.toMatch(/\bat .*:\d+:\d+|this is a bug/)
  expect(stderr.trim().split('\n')).toHaveLength(1)
  expect(code).toBe(1)
  starts.plain += 1
}

/** A separate process that holds the write lock until released. */
async function lockOf(file: string) {
  const script = `
    const db = new (require('bun:sqlite').Database)(${JSON.stringify(file)})
    db.run('PRAGMA busy_timeout = 5000'); db.run('BEGIN EXCLUSIVE'); console.log('locked')
    await Bun.stdin.text(); db.run('COMMIT')`
  const other = Bun.spawn([process.execPath, '-e', script], { stdin: 'pipe', stdout: 'pipe' })
  await other.stdout.getReader().read()
  return async () => {
    other.stdin.end()
    await other.exited
  }
}

if (engineUnderTest === 'sqlite') {
  describe('a file locked by another program', () => {
    test(
      'refuses writes in time, goes on reading, and recovers by itself',
      reported(
        'Is another program that locks the file survived?',
        '503 within 6.5 s meanwhile, reads go on, back by itself',
        async () => {
          const file = newFile()
          const { client, write } = await serving(file)
          const release = await lockOf(file)
          const writes = [write(), Bun.sleep(1000).then(() => write()), Bun.sleep(3000).then(() => write())]
          const waits = writes.map((each) => expectUnavailable(each, /locked by another program/))
          expect((await client.posts.list()).data.length).toBeGreaterThan(0)
          // Later requests did not wait longer than the first.
          const [first, second, third] = await Promise.all(waits)
          expect(first).toBeLessThan(MAX_SECONDS)
          expect(second! - 1).toBeLessThan(MAX_SECONDS)
          expect(third! - 3).toBeLessThan(MAX_SECONDS)

          await release()
          await write('After')
          expect((await client.posts.list()).data[0]!.title).toBe('After')
          expect(child!.output.errors).not.toMatch(/Unexpected error/)
          return `${writes.length} writes refused, the first after ${first!.toFixed(1)} s; the next one after the lock is done`
        },
      ),
      300_000,
    )

    test('is waited for if it is released soon', async () => {
      const file = newFile()
      const { write } = await serving(file)
      const release = await lockOf(file)
      const writing = write('Patient')
      await Bun.sleep(500)
      await release()
      expect((await writing).title).toBe('Patient')
    })
  })

  test(
    'a full disk refuses writes with 503, goes on reading, and recovers by itself',
    reported(
      'Is a full disk survived?',
      '503 meanwhile, reads go on, back by itself, nothing acknowledged lost',
      async () => {
        const file = newFile()
        // A limit of the file size simulates a full disk.
        const { client, write, pid } = await serving(file, {}, ['sh', '-c', `trap '' XFSZ; exec "$@"`, 'sh'])
        const limit = async (bytes: string) =>
          expect(await Bun.spawn(['prlimit', `--pid=${pid}`, `--fsize=${bytes}:`]).exited).toBe(0)
        await limit('2000000')
        const done: string[] = []
        const fill = async () => {
          for (;;) done.push((await write('x'.repeat(50_000))).id)
        }
        await expectUnavailable(fill(), /disk/)
        await expectUnavailable(write('x'.repeat(50_000)), /disk/)
        expect((await client.posts.list({ limit: 1 })).data).toHaveLength(1)

        await limit('unlimited')
        done.push((await write('After')).id)
        const found = await inDatabase<{ ids: string[]; wrong: string[] }>(`sqlite:${file}`, async (db) => ({
          ids: (await db.selectFrom('posts').select('id').execute()).map(({ id }) => id),
          wrong: await findFaults(db),
        }))
        expect(done.filter((id) => !found.ids.includes(id))).toEqual([])
        expect(found.wrong).toEqual([])
        expect(child!.output.errors).not.toMatch(/Unexpected error/)
        return `0 of ${done.length} acknowledged writes lost, and the database agrees with itself`
      },
    ),
    300_000,
  )

  describe('the server does not start, and prints one line,', () => {
    const start = (path: string) => failToStart(`sqlite:${path}`)
    afterAll(() =>
      reportFigure({
        question: 'Does a start on what is no usable database say why, in one line?',
        goal: 'every time',
        figure: `${starts.plain} of ${starts.tried}: a folder or a file in its place, no database, a newer one, damaged, cut off, nothing that may be written`,
        isMet: starts.plain === starts.tried,
      }),
    )

    test('if the file is a folder', async () => {
      const file = newFile()
      mkdirSync(file)
      expectPlainWords(await start(file), /Cannot use the database .*parley\.db: it cannot be opened/)
    })

    test('if the folder is a file', async () => {
      const file = newFile()
      writeFileSync(file, 'text')
      expectPlainWords(await start(join(file, 'parley.db')), /part of the path is a file/)
    })

    test('if the file is not a database', async () => {
      const file = newFile()
      writeFileSync(file, 'This is a letter, not a database. '.repeat(200))
      expectPlainWords(await start(file), /it is not a SQLite database/)
    })

    test('if the database is newer than the program', async () => {
      const file = await madeFile()
      const database = new Database(file)
      database.run("INSERT INTO schema_migrations VALUES (9999, 'from-the-future', 0)")
      database.close()
      expectPlainWords(await start(file), /version 9999, this Parley knows only version \d+\. Use a newer Parley/)
    })

    test('if the file is damaged', async () => {
      const file = await madeFile()
      const bytes = Buffer.from(await Bun.file(file).arrayBuffer())
      bytes.fill(0xa5, 100, bytes.length)
      writeFileSync(file, bytes)
      expectPlainWords(await start(file), /it is damaged; restore a backup/)
    })

    test('if the file is truncated', async () => {
      const file = await madeFile()
      writeFileSync(file, Buffer.from(await Bun.file(file).arrayBuffer()).subarray(0, 9000))
      expectPlainWords(await start(file), /it is damaged; restore a backup/)
    })

    if (process.getuid?.() === 0) {
      const own = (path: string, mode: number) => {
        chownSync(path, NOBODY, NOBODY)
        chmodSync(path, mode)
      }

      test('if the folder is not writable', async () => {
        const file = newFile()
        own(folder, 0o555)
        expectPlainWords(
          await failToStart(`sqlite:${file}`, heedingPermissions),
          /no permission to write the file or its folder/,
        )
      })

      test('if the file is not writable', async () => {
        const file = await madeFile()
        own(folder, 0o755)
        own(file, 0o444)
        expectPlainWords(
          await failToStart(`sqlite:${file}`, heedingPermissions),
          /no permission to write the file or its folder/,
        )
      })
    }
  })
} else {
  test('failures of PostgreSQL are in postgres-trouble.test.ts', () => expect(engineUnderTest).toBe('postgres'))
}
