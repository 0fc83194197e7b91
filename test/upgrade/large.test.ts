import { expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runChecks } from '../../src/store/checks/consistency'
import type { Db } from '../../src/store/engines/db'
import { openEngine } from '../../src/store/open'
import { findVersion, latestVersion, oldestVersion } from '../../src/store/schema/migrations'
import { start } from '../command'
import { freePort } from '../postgres'
import { engineUnderTest, startTestServer } from '../server'
import { ask, PUBLIC_URL } from './answers'
import { expectedNow } from './differences'
import { newOldDatabase, readRecorded } from './old-database'

setDefaultTimeout(1_200_000)

const POSTS = 100_000
/** So much less than all posts take that none of the migrations can hold them. */
const MAX_MEGABYTES = 300
/** Keys of copies are those of the records they are of, and a multiple of this. */
const STEP = 1_000

test('a large database of 0.2.0 is upgraded in bounded memory, also after it was killed in the middle', async () => {
  const { url, drop } = await newOldDatabase()
  const { originals, copies } = await multiply(url)
  // Without a migration after the baseline, there is nothing to kill.
  for (const table of latestVersion > oldestVersion ? [1, 2] : []) {
    const script = join(import.meta.dir, 'killed-migration.ts')
    const killed = Bun.spawn([process.execPath, script, url, String(table)], { stderr: 'inherit' })
    await killed.exited
    expect([table, killed.signalCode]).toEqual([table, 'SIGKILL'])
    expect(await inDatabase(url, findVersion)).toBe(oldestVersion)
  }

  const child = start(['migrate'], { DATABASE_URL: url })
  const megabytes = await peakMemory(child)
  expect([await child.exited, await new Response(child.stderr).text()]).toEqual([0, expect.any(String)])
  expect(megabytes).toBeLessThan(MAX_MEGABYTES)
  expect(await inDatabase(url, findVersion)).toBe(latestVersion)
  expect(await inDatabase(url, runChecks)).toEqual([])
  await expectCopiesAnswered(url, originals, [1, Math.floor(copies / 2), copies])
  await drop()
})

async function inDatabase<T>(url: string, work: (db: Db) => Promise<T>): Promise<T> {
  const engine = openEngine(url)
  try {
    return await engine.snapshot((db) => work(db as Db))
  } finally {
    await engine.close()
  }
}

const idOf = (prefix: string, key: string) =>
  `'${prefix}_' || substr('${'0'.repeat(26)}', 1, 26 - length(CAST(${key} AS text))) || CAST(${key} AS text)`

/** Copies the posts of a channel, their comments, and what they are to members, until there are enough. */
async function multiply(url: string): Promise<{ originals: string[]; copies: number }> {
  const engine = openEngine(url)
  const chosen = `SELECT key FROM posts WHERE channel_key = (SELECT max(key) FROM channels WHERE name = 'general' AND posts_count > 5)
    AND length(fields) < 5000 AND key NOT IN (SELECT post_key FROM comments WHERE key IN
      (SELECT subject_key FROM file_references WHERE subject_type = 2))
    AND key NOT IN (SELECT subject_key FROM file_references WHERE subject_type = 1)`
  const result = await engine.migrate(async (db) => {
    const run = async (statement: string) => (await db.wire.execute(statement, [])).rows as Record<string, unknown>[]
    const originals = await run(`SELECT id, key FROM posts WHERE key IN (${chosen})`)
    const keys = originals.map(({ key }) => key).join(', ')
    const copies = Math.ceil(POSTS / originals.length)
    /** Copies rows, with other values in some columns. In these `o` is the row, and `n.i` the number of the copy. */
    const copy = async (table: string, where: string, changes: Record<string, string>, joins = '') => {
      const [row] = await run(`SELECT * FROM ${table} LIMIT 1`)
      const columns = Object.keys(row!)
      const values = columns.map((column) => changes[column] ?? `o.${column}`)
      await run(`INSERT INTO ${table} (${columns.join(', ')})
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${copies})
        SELECT ${values.join(', ')} FROM n CROSS JOIN ${table} AS o ${joins} WHERE ${where}`)
    }
    const moved = (column: string) => `CASE WHEN o.${column} = 0 THEN 0 ELSE o.${column} + ${STEP} * n.i END`
    const post = idOf('post', `(p.key + ${STEP} * n.i)`)
    const comment = idOf('cmt', `(o.key + ${STEP} * n.i)`)
    const parent = idOf('cmt', `(o.parent_key + ${STEP} * n.i)`)
    await copy(
      'comments',
      `o.post_key IN (${keys})`,
      {
        ...{ key: moved('key'), id: comment, post_key: moved('post_key'), parent_key: moved('parent_key') },
        fields: `replace(replace(replace(o.fields, o.id, ${comment}), p.id, ${post}), coalesce(q.id, 'none'), ${parent})`,
      },
      'JOIN posts AS p ON p.key = o.post_key LEFT JOIN comments AS q ON q.key = o.parent_key',
    )
    await copy(
      'posts',
      `o.key IN (${keys})`,
      {
        ...{ key: moved('key'), id: post, resolved_comment_key: moved('resolved_comment_key') },
        fields: `replace(o.fields, o.id, ${post})`,
      },
      'JOIN posts AS p ON p.key = o.key',
    )
    await copy('attention', `o.subject_type = 1 AND o.subject_key IN (${keys})`, {
      ...{ subject_key: moved('subject_key'), item_key: moved('item_key') },
      entry_id: `CASE WHEN o.entry_id IS NOT NULL THEN ${idOf('inb', `(o.author_key * 1000000000 + o.subject_key + ${STEP} * n.i)`)} END`,
    })
    const count = (table: string, condition: string) =>
      run(`UPDATE ${table} SET posts_count = (SELECT count(*) FROM posts AS p WHERE ${condition}),
        resolved_count = (SELECT count(*) FROM posts AS p WHERE ${condition} AND p.is_resolved = 1)`)
    await count('channels', 'p.channel_key = channels.key')
    await count('author_posts', 'p.channel_key = author_posts.channel_key AND p.author_key = author_posts.author_key')
    if (engineUnderTest === 'postgres')
      for (const table of ['posts', 'comments'])
        await run(`SELECT setval(pg_get_serial_sequence('${table}', 'key'), (SELECT max(key) FROM ${table}))`)
    return { originals: originals.map(({ id }) => String(id)), copies }
  })
  await engine.close()
  return result
}

/** How much memory a process takes until it exits. */
async function peakMemory({ pid, exited }: ReturnType<typeof start>): Promise<number> {
  let peak = 0
  let isRunning = true
  void exited.then(() => {
    isRunning = false
  })
  while (isRunning) {
    const [, kilobytes] = readStatus(pid).match(/VmHWM:\s+(\d+)/) ?? []
    peak = Math.max(peak, Number(kilobytes ?? 0) / 1024)
    await Bun.sleep(20)
  }
  return peak
}

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return ''
  }
}

/** Expects copies to be answered as what they are copies of. */
async function expectCopiesAnswered(url: string, originals: readonly string[], numbers: readonly number[]) {
  const { now, callers, answers } = readRecorded()
  const port = String(await freePort())
  const server = await startTestServer({ PUBLIC_URL, PORT: port, DATABASE_URL: url }, { clock: () => now })
  const { engine } = server.parley
  const keyOf = async (table: 'posts' | 'comments') =>
    new Map(
      (await engine.read((db) => db.selectFrom(table).select(['id', 'key']).where('key', '<', STEP).execute())).map(
        ({ id, key }) => [id, key],
      ),
    )
  const [posts, comments] = [await keyOf('posts'), await keyOf('comments')]
  const expected = expectedNow(answers)
  const paths = originals.flatMap((id) => [`/v2/posts/${id}`, `/v2/posts/${id}/comments?limit=7`])
  for (const number of numbers) {
    const inCopy = (text: string) =>
      text.replace(/\b(post|cmt)_[0-9a-z]{26}/g, (id, prefix) => {
        const key = (prefix === 'post' ? posts : comments).get(id)
        return key === undefined ? id : `${prefix}_${String(key + STEP * number).padStart(26, '0')}`
      })
    const found = await ask(`http://127.0.0.1:${port}`, paths.map(inCopy), callers)
    for (const path of paths)
      expect([path, found[inCopy(path)]]).toEqual([path, JSON.parse(inCopy(JSON.stringify(expected[path])))])
  }
}
