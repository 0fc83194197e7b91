import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import type { Writer } from '../../src/store/engines/db'
import { openEngine } from '../../src/store/open'
import { findVersion, latestVersion } from '../../src/store/schema/migrations'
import { continueBuild } from '../../src/store/search/build'
import { backup, expectDone, openTestDatabases, restore, withoutChecksums } from '../backup/backups'
import { parley } from '../command'
import { expectConsistent } from '../consistency'
import { columnsHolding } from '../deletion/secrets'
import { freePort } from '../postgres'
import { deadMailServer, filesUrlOf, startTestServer } from '../server'
import { ask, PUBLIC_URL } from './answers'
import { asKnown, expectedNow } from './differences'
import { newOldDatabase, readRecorded, writeOldBackup } from './old-database'

setDefaultTimeout(300_000)

const databases = openTestDatabases()
afterEach(databases.clear)

describe('what 0.2.0 has stored', () => {
  test.each([
    ['in a database', async () => (await newOldDatabase()).url],
    ['in a backup', restoreOldBackup],
  ])('is answered to everybody as before: %s', async (_, open) => {
    const { now, callers, answers } = readRecorded()
    const port = String(await freePort())
    const env = { ...deadMailServer, PUBLIC_URL, PORT: port, DATABASE_URL: await open() }
    const server = await startTestServer(env, { clock: () => now })
    const { engine } = server.parley
    expect(await engine.read(findVersion)).toBe(latestVersion)
    while (!(await engine.writeAlone(continueBuild)).isBuilt);
    // Who was in no channel is where newcomers are. But for that, everything is as before.
    expect(await engine.write(leaveWhatWasJoined)).toEqual(['Ada Lovelace', 'Bob Moore', 'Vic Viewer'])

    const expected = expectedNow(answers)
    const found = asKnown(await ask(`http://127.0.0.1:${port}`, Object.keys(expected), callers))
    for (const [path, answer] of Object.entries(expected)) expect([path, found[path]]).toEqual([path, answer])
    await expectConsistent(server)
  })

  /** Members join while the database is upgraded with the time at which they became members; whoever made #general, with its own. */
  async function leaveWhatWasJoined(db: Writer): Promise<string[]> {
    const joined = sql`SELECT cm.author_key FROM channel_members AS cm JOIN channels AS c ON c.key = cm.channel_key
      JOIN members AS m ON m.author_key = cm.author_key
      WHERE c.is_default = 1 AND cm.created_at = m.created_at AND m.role <> 'admin'`
    const { rows } = await sql<{
      name: string
    }>`SELECT name FROM authors WHERE key IN (${joined}) ORDER BY name`.execute(db)
    await sql`DELETE FROM channel_members WHERE author_key IN (${joined})`.execute(db)
    await sql`UPDATE channels SET members_count = (SELECT count(*) FROM channel_members AS cm
      WHERE cm.channel_key = channels.key)`.execute(db)
    return rows.map(({ name }) => name)
  }

  async function restoreOldBackup(): Promise<string> {
    const [file, url] = [databases.newFile(), await databases.newUrl()]
    writeOldBackup(file)
    const before = readFileSync(file)
    await expectDone(restore(url, file, [], { FILES_URL: filesUrlOf(url) }))
    expect(readFileSync(file).equals(before)).toBe(true)
    return url
  }

  test('contains nothing that was deleted before', async () => {
    const server = await startTestServer({ DATABASE_URL: (await newOldDatabase()).url })
    const secrets = ['Deleted soon', 'Deleted, with a reply', 'Deleted, for', 'An answer that is deleted']
    expect(await columnsHolding(server, { secrets })).toEqual([])
    expect(await columnsHolding(server, { secrets: ['The reply that stays'] })).not.toEqual([])
  })

  test('is in every table of the fixture but those whose rows are gone at once', () => {
    const { rows } = readRecorded()
    const empty = Object.keys(rows).filter((table) => rows[table] === 0)
    expect(empty.sort()).toEqual(['account_links', 'backup_holds', 'search_queue'])
  })
})

describe('what is older than 0.2.0 is refused with the commands that upgrade it', () => {
  const REMOVE_LAST = 'DELETE FROM schema_migrations WHERE number = 28'
  const commands = (command: string) =>
    `git checkout 'HEAD^{/Make this version 0.2.0}' && npm ci --omit=dev && npm run -s parley -- ${command} && git checkout - && npm ci --omit=dev\n`

  test('a database, by every command', async () => {
    const { url, drop } = await newOldDatabase()
    const engine = openEngine(url)
    await engine.write((db) => sql.raw(REMOVE_LAST).execute(db))
    const env = { DATABASE_URL: url, PORT: '0' }
    const refusal = `parley: The database is at version 27, older than Parley 0.2.0 (version 28). Upgrade it with 0.2.0 first: ${commands('migrate')}`
    const file = databases.newFile()
    for (const args of [['migrate'], ['serve'], ['workspace', 'list'], ['reindex'], ['seed'], ['backup', file]])
      expect([args, await parley(args, env)]).toEqual([args, { code: 1, stdout: '', stderr: refusal }])
    const { code, stdout } = await parley(['doctor'], env)
    expect([code, stdout]).toEqual([1, expect.stringContaining(commands('migrate'))])
    expect(await engine.read(findVersion)).toBe(27)
    await engine.close()
    await drop()
  })

  test('a backup', async () => {
    const [file, url] = [databases.newFile(), await databases.newUrl()]
    writeOldBackup(file)
    withoutChecksums(file)
    const database = new Database(file)
    database.run(REMOVE_LAST)
    database.close()
    const { code, stderr } = await restore(url, file)
    const refusal = `parley: ${file} is at version 27, older than Parley 0.2.0 (version 28). Restore it with 0.2.0 first, and then start this version: ${commands(`restore ${file}`)}`
    expect([code, stderr]).toEqual([1, expect.stringContaining(refusal)])
  })
})

test('a backup of a database of 0.2.0 keeps its version', async () => {
  const { url, drop } = await newOldDatabase()
  const file = databases.newFile()
  await expectDone(backup(url, file, ['--without-files']))
  const found = new Database(file, { readonly: true })
  expect(found.query('SELECT max(number) AS version FROM schema_migrations').get()).toEqual({ version: 28 })
  found.close()
  await expectDone(restore(await databases.newUrl(), file))
  await drop()
})
