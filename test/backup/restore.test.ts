import { Database } from 'bun:sqlite'
import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { copyFileSync, existsSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { NewHook } from '../../src/contract/hooks'
import { insertAccountLink } from '../../src/store/accounts/links'
import { openEngine } from '../../src/store/open'
import { createClient } from '../client'
import { parley } from '../command'
import { engineUnderTest } from '../server'
import { changeDatabase, inDatabase, waitUntil } from '../torture/child'
import { expectOnlyUnavailable, load } from '../torture/load'
import {
  backup,
  contentOf,
  expectDone,
  expectRefused,
  expectSound,
  fileOf,
  leftovers,
  openTestDatabases,
  restore,
  type Served,
  serveAgain,
  serveNew,
  withoutChecksums,
  write,
} from './backups'
import { damageSqlite } from './damage'

// Servers and commands are processes of their own.
setDefaultTimeout(300_000)

const isSqlite = engineUnderTest === 'sqlite'
const databases = openTestDatabases()
afterEach(databases.clear)

/** A server with a post and an incoming webhook, and a backup of it. */
async function backedUp(): Promise<Served & { file: string; hook: NewHook }> {
  const server = await serveNew(databases)
  await write(server, 'In the backup')
  const hook = await server.admin.hooks.create({ name: 'CI', channel_id: server.channel_id })
  const file = databases.newFile()
  await expectDone(backup(server.url, file))
  return { ...server, file, hook }
}

/** Sends something to the address of an incoming webhook, at another server. */
const sendTo = ({ child }: Served, hook: NewHook) =>
  fetch(child.url + new URL(hook.url).pathname, { method: 'POST', body: '{"text":"Sent"}' })

const titlesIn = async (url: string) => (await contentOf(url)).titles.slice(2)

describe('a restore', () => {
  test('replaces an existing database only with --force', async () => {
    const { file, token, hook } = await backedUp()
    const other = await serveNew(databases)
    await write(other, 'Of another installation')
    await other.child.stop()
    await expectRefused(restore(other.url, file), /(There is already a database at .+|is not empty)\. Add --force/)
    expect(await titlesIn(other.url)).toEqual(['Of another installation'])

    const { stdout } = await expectDone(restore(other.url, file, ['--force']))
    expect(stdout).toMatch(/^Restored .+: [\d.]+ [kM]B in [\d.]+ s\.\n/)
    expect(stdout).toMatch(
      /tokens and sign-in links that were revoked after \d{4}-.+Z work again, as do addresses of incoming webhooks/,
    )
    expect(await titlesIn(other.url)).toEqual(['In the backup'])
    await expectSound(other.url)
    const again = await serveAgain(databases, other.url, token)
    await expect(createClient({ baseUrl: again.child.url, token: other.token }).posts.list()).rejects.toMatchObject({
      code: 'unauthenticated',
    })
    expect(await (await sendTo(again, hook)).text()).toBe('ok')
  })

  test('into an empty migrated database needs no --force', async () => {
    const { file } = await backedUp()
    const url = await databases.newUrl()
    await expectDone(parley(['migrate'], { DATABASE_URL: url }))
    await expectDone(restore(url, file))
    expect(await titlesIn(url)).toEqual(['In the backup'])
  })

  test('undoes later deletions and writes', async () => {
    const server = await serveNew(databases)
    const doomed = await write(server, 'Deleted later')
    const file = databases.newFile()
    await expectDone(backup(server.url, file))
    await server.admin.posts.delete({ id: doomed.id })
    const later = await write(server, 'Written later')
    await server.child.stop()
    await expectDone(restore(server.url, file, ['--force']))
    const again = await serveAgain(databases, server.url, server.token)
    expect((await again.admin.posts.get({ id: doomed.id })).title).toBe('Deleted later')
    await expect(again.admin.posts.get({ id: later.id })).rejects.toMatchObject({ code: 'not_found' })
  })

  test('does not reuse keys', async () => {
    const server = await serveNew(databases)
    const doomed = await write(server, 'The last one')
    const keys = (url: string) =>
      inDatabase<number[]>(url, async (db) =>
        (await db.selectFrom('posts').select('key').orderBy('key').execute()).map(({ key }) => key),
      )
    const last = (await keys(server.url)).at(-1)!
    await server.admin.posts.delete({ id: doomed.id })
    const [file, url] = [databases.newFile(), await databases.newUrl()]
    await expectDone(backup(server.url, file))
    await expectDone(restore(url, file))
    await write(await serveAgain(databases, url, server.token), 'The next one')
    expect((await keys(url)).at(-1)).toBeGreaterThan(last)
  })

  test('with --sign-out-everyone invalidates all sessions, tokens, links and addresses of incoming webhooks', async () => {
    const { token, hook, url: source } = await backedUp()
    await changeDatabase(source, async (db) => {
      const { author_key, user_key } = await db.selectFrom('members').selectAll().executeTakeFirstOrThrow()
      const mailed = { author_key, user_key, mail_key: 1, created_at: 1, expires_at: Number.MAX_SAFE_INTEGER }
      for (const kind of ['sign_in', 'password_reset', 'email_change'] as const)
        await insertAccountLink(db, { ...mailed, kind, hash: kind })
      await db
        .insertInto('email_changes')
        .values({ ...mailed, email: 'new@example.com', is_everywhere: true })
        .execute()
    })
    const file = databases.newFile()
    await expectDone(backup(source, file))
    const url = await databases.newUrl()
    const { stdout } = await expectDone(restore(url, file, ['--sign-out-everyone']))
    expect(stdout).toContain('Everyone is signed out')
    const again = await serveAgain(databases, url, await newToken(url))
    const refused = createClient({ baseUrl: again.child.url, token }).posts.list()
    await expect(refused).rejects.toMatchObject({ code: 'unauthenticated' })
    for (const table of ['sign_in_links', 'account_links', 'email_changes'] as const)
      expect(await inDatabase<unknown[]>(url, (db) => db.selectFrom(table).selectAll().execute())).toEqual([])
    expect((await sendTo(again, hook)).status).toBe(404)
    expect((await again.admin.hooks.get({ id: hook.id })).problem).toContain('Its address no longer works')
    expect((await contentOf(url)).wrong).toEqual([])
    // The backup itself is as it was.
    expect(await titlesIn(source)).toEqual(['In the backup'])
  })

  const newToken = async (url: string) => {
    const create = ['token', 'create', '--member', 'admin@example.com', '--scopes', 'admin']
    return (await expectDone(parley(create, { DATABASE_URL: url }))).stdout.trim()
  }

  test('of an invalid backup is refused, and changes nothing', async () => {
    const { file, url } = await backedUp()
    const spoilt = async (words: RegExp, spoil: (copy: string) => void) => {
      const copy = databases.newFile()
      copyFileSync(file, copy)
      // With checksums, every change is refused as damage.
      withoutChecksums(copy)
      spoil(copy)
      await expectRefused(restore(empty, copy, ['--force']), words)
      if (isSqlite) expect([existsSync(fileOf(empty)), leftovers(fileOf(empty))]).toEqual([false, []])
      expect(readdirSync(dirname(copy)).length).toBeLessThanOrEqual(1)
    }
    const inFile = (copy: string, sql: string) => {
      const database = new Database(copy)
      database.run(sql)
      database.close()
    }
    const empty = await databases.newUrl()
    await expectRefused(restore(empty, join(databases.newFolder(), 'none')), /There is no file/)
    await spoilt(/is not a backup of Parley/, (copy) => writeFileSync(copy, 'A letter. '.repeat(1_000)))
    await spoilt(/is not a backup of Parley/, (copy) => writeFileSync(copy, ''))
    await spoilt(/is not a backup of Parley/, (copy) => inFile(copy, 'DROP TABLE schema_migrations'))
    await spoilt(/damaged|Cannot read/, (copy) => truncateSync(copy, Math.floor(statSync(copy).size / 8192) * 4096))
    await spoilt(/damaged|Cannot read/, (copy) => truncateSync(copy, 600))
    await spoilt(/damaged|Cannot read/, (copy) => damageSqlite(copy, 'posts'))
    await spoilt(/made by a newer Parley.*version 9999/, (copy) =>
      inFile(copy, "INSERT INTO schema_migrations VALUES (9999, 'from-the-future', 0)"),
    )
    await spoilt(/holds a trigger that Parley did not make: steal/, (copy) =>
      inFile(copy, 'CREATE TRIGGER steal AFTER INSERT ON passwords BEGIN DELETE FROM sessions; END'),
    )
    await spoilt(/holds a view that Parley did not make: shown/, (copy) =>
      inFile(copy, 'CREATE VIEW shown AS SELECT * FROM tokens'),
    )
    await spoilt(/format 3/, (copy) => inFile(copy, "UPDATE backup_info SET value = '3' WHERE name = 'format'"))
    // What is there stays, even where it may be replaced.
    if (!isSqlite) {
      const bad = databases.newFile()
      writeFileSync(bad, 'A letter.')
      await expectRefused(restore(url, bad, ['--force']), /is not a backup/)
      expect(await titlesIn(url)).toEqual(['In the backup'])
    }
  })

  if (isSqlite) {
    test('is refused while a server is running, even with --force', async () => {
      const { file, url, ...server } = await backedUp()
      await expectRefused(restore(url, file), /is using/)
      await expectRefused(restore(url, file, ['--force']), /A server or another program is using .+ Stop it first/)
      expect((await write(server, 'Still here')).title).toBe('Still here')
      await server.child.kill()
      // What a killed server left in the WAL is not played into what takes its place.
      await expectDone(restore(url, file, ['--force']))
      expect(await titlesIn(url)).toEqual(['In the backup'])
    })

    test('replaces a damaged database', async () => {
      const { file, url, child } = await backedUp()
      await child.stop()
      writeFileSync(fileOf(url), 'no database any more')
      await expectRefused(restore(url, file), /--force/)
      await expectDone(restore(url, file, ['--force']))
      expect(await titlesIn(url)).toEqual(['In the backup'])
      writeFileSync(`${fileOf(url)}-shm`, '')
      writeFileSync(fileOf(url), 'no database any more')
      await expectRefused(restore(url, file, ['--force']), /cannot be told whether a server is using it.*remove .*-shm/)
    })

    test('accepts a plain copy of a database, with or without WAL', async () => {
      const { url, child, ...server } = await backedUp()
      await write(server, 'Only in the WAL')
      const copy = databases.newFile()
      for (const suffix of ['', '-wal']) copyFileSync(fileOf(url) + suffix, copy + suffix)
      const first = await databases.newUrl()
      await expectDone(restore(first, copy))
      expect(await titlesIn(first)).toEqual(['In the backup', 'Only in the WAL'])
      expect(readdirSync(dirname(copy)).sort()).toEqual(['parley.backup', 'parley.backup-wal'])

      await child.stop()
      const whole = databases.newFile()
      copyFileSync(fileOf(url), whole)
      const second = await databases.newUrl()
      await expectDone(restore(second, whole))
      expect(await titlesIn(second)).toEqual(['In the backup', 'Only in the WAL'])
      await expectRefused(restore(url, fileOf(url), ['--force']), /is the database itself/)
    })
  } else {
    test('works between both engines', async () => {
      const { file, token, url } = await backedUp()
      const sqlite = databases.newSqliteUrl()
      await expectDone(restore(sqlite, file))
      await expectSound(sqlite)
      expect(await contentOf(sqlite)).toEqual(await contentOf(url))
      const onSqlite = await serveAgain(databases, sqlite, token)
      await write(onSqlite, 'On SQLite')
      expect((await onSqlite.admin.members.list({ q: 'admin@exa' })).total_count).toBe(1)

      const [back, postgres] = [databases.newFile(), await databases.newUrl()]
      await expectDone(backup(sqlite, back))
      await expectDone(restore(postgres, back))
      await expectSound(postgres)
      expect(await contentOf(postgres)).toEqual(await contentOf(sqlite))
      const onPostgres = await serveAgain(databases, postgres, token)
      await write(onPostgres, 'On PostgreSQL')
      expect(await titlesIn(postgres)).toEqual(['In the backup', 'On SQLite', 'On PostgreSQL'])
    })

    test('is complete while a node is running, which recovers', async () => {
      const { file, url, child, admin, channel_id } = await backedUp()
      const work = load(child, admin, channel_id)
      await waitUntil(() => work.state.done.length > 50)
      await expectDone(restore(url, file, ['--force']))
      const there = work.state.done.length
      await waitUntil(() => work.state.done.length > there + 20)
      const { refused } = await work.stop()
      expectOnlyUnavailable(child, refused)
      expect((await contentOf(url)).wrong).toEqual([])
      expect((await titlesIn(url))[0]).toBe('In the backup')
    })

    test('is refused if there are tables of another program', async () => {
      const { file } = await backedUp()
      const url = await databases.newUrl()
      const engine = openEngine(url)
      await engine.migrate((db) => db.wire.execute('CREATE TABLE posts (words text)', []))
      await engine.close()
      await expectRefused(restore(url, file, ['--force']), /tables of another program/)
    })
  }
})
