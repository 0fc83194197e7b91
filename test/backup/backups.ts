import { Database } from 'bun:sqlite'
import { expect } from 'bun:test'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { hasAppended, layoutOf } from '../../src/store/backup/appended-files'
import { type Client, createClient } from '../client'
import { parley } from '../command'
import { findFaults } from '../consistency'
import { newDatabase, newMigratedDatabase } from '../server'
import { type Child, inDatabase, startChild, waitUntil } from '../torture/child'

/** Databases and folders of a test, and the servers on them; all are gone after `clear`. */
export function openTestDatabases() {
  const drops: (() => Promise<void> | void)[] = []
  const newFolder = () => {
    const folder = mkdtempSync(join(tmpdir(), 'parley-backup-'))
    drops.push(() => rmSync(folder, { recursive: true, force: true }))
    return folder
  }
  const keep = async (making: ReturnType<typeof newDatabase>) => {
    const { url, drop } = await making
    drops.push(drop)
    return url
  }
  return {
    newFolder,
    /** Where a backup may go. */
    newFile: () => join(newFolder(), 'parley.backup'),
    newSqliteUrl: () => `sqlite:${join(newFolder(), 'parley.db')}`,
    /** An empty database of the engine under test. */
    newUrl: () => keep(newDatabase()),
    /** One with all tables, and nothing in them. */
    newMigratedUrl: () => keep(newMigratedDatabase()),
    async start(url: string, env: Record<string, string> = {}): Promise<Child> {
      const child = await startChild(url, env)
      drops.push(child.kill)
      return child
    },
    async clear() {
      for (const drop of drops.splice(0).reverse()) await drop()
    },
  }
}

export type TestDatabases = ReturnType<typeof openTestDatabases>

export interface Served {
  child: Child
  url: string
  token: string
  admin: Client
  channel_id: string
}

/** A server that was started for the first time, on a database of the engine under test. */
export async function serveNew(databases: TestDatabases, env: Record<string, string> = {}): Promise<Served> {
  const url = await databases.newMigratedUrl()
  const child = await databases.start(url, env)
  return served(child, url, await child.firstToken())
}

/** A server on a database that was used before. */
export const serveAgain = async (
  databases: TestDatabases,
  url: string,
  token: string,
  env: Record<string, string> = {},
) => served(await databases.start(url, env), url, token)

async function served(child: Child, url: string, token: string): Promise<Served> {
  await waitUntil(child.isReady)
  const admin = createClient({ baseUrl: child.url, token })
  const channel_id = (await admin.channels.list()).data[0]!.id
  return { child, url, token, admin, channel_id }
}

export const write = ({ admin, channel_id }: Pick<Served, 'admin' | 'channel_id'>, words: string) =>
  admin.posts.create({ channel_id, content_markdown: words })

/** Runs `parley backup`. */
export const backup = (url: string, file: string, flags: string[] = [], env: Record<string, string> = {}) =>
  parley(['backup', file, ...flags], { DATABASE_URL: url, ...env })

/** Runs `parley restore`. */
export const restore = (url: string, file: string, flags: string[] = [], env: Record<string, string> = {}) =>
  parley(['restore', file, ...flags], { DATABASE_URL: url, ...env })

/** That a command was done. */
export async function expectDone(running: ReturnType<typeof parley>) {
  const result = await running
  expect([result.code, result.code === 0 ? '' : result.stderr]).toEqual([0, ''])
  return result
}

/** That a command was refused, in one line that holds these words. */
export async function expectRefused(running: ReturnType<typeof parley>, words: RegExp) {
  const { code, stdout, stderr } = await running
  expect([code, stdout]).toEqual([1, ''])
  expect(stderr).toMatch(words)
  expect(stderr).not.toMatch(/\bat .*:\d+:\d+|this is a bug/)
  expect(stderr.trim().split('\n')).toHaveLength(1)
}

/** What is stored: the titles of all posts, and whether counters, copies and the log agree with the rows. */
export const contentOf = (url: string) =>
  inDatabase<{ titles: string[]; wrong: string[] }>(url, async (db) => ({
    titles: (await db.selectFrom('posts').select('title').orderBy('key').execute()).map(({ title }) => title),
    wrong: await findFaults(db),
  }))

export async function expectSound(url: string, env: Record<string, string> = {}) {
  const { code, stdout } = await parley(['doctor', '--full'], { DATABASE_URL: url, ...env })
  expect(stdout).not.toContain('✗')
  expect(code).toBe(0)
}

/** What was not finished, beside a file. */
export const leftovers = (file: string): string[] =>
  existsSync(dirname(file)) ? readdirSync(dirname(file)).filter((name) => name.includes('.unfinished-')) : []

export const fileOf = (sqliteUrl: string) => sqliteUrl.slice('sqlite:'.length)

/** Makes a backup one as it was before backups had checksums. */
export function withoutChecksums(file: string) {
  const { databaseBytes, checksums } = layoutOf(file)
  truncateSync(file, checksums!.start)
  const database = new Database(file)
  const hasFiles = hasAppended(database)
  const bytes = readFileSync(file)
  database.close()
  // Beside the file: SQLite would overwrite what comes after its last page.
  const alone = `${file}.alone`
  writeFileSync(alone, bytes.subarray(0, databaseBytes))
  const changed = new Database(alone)
  changed.run("UPDATE backup_info SET value = '1' WHERE name = 'format'")
  changed.close()
  const trailer = Buffer.from('Parley files 1\n\0________', 'latin1')
  trailer.writeBigUInt64BE(BigInt(databaseBytes), 16)
  writeFileSync(
    file,
    Buffer.concat([readFileSync(alone), bytes.subarray(databaseBytes), ...(hasFiles ? [trailer] : [])]),
  )
  rmSync(alone)
}
