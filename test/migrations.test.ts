import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { type Kysely, sql } from 'kysely'
import { hashPassword } from '../src/domain/passwords'
import { hashSecret } from '../src/domain/secrets'
import type { Db } from '../src/store/engines/db'
import type { Engine } from '../src/store/engines/engine'
import { openEngine } from '../src/store/open'
import { migrate, migrations, schemaVersion } from '../src/store/schema/migrations'
import { findKeysBetween } from '../src/store/search/index-keys'
import { idOf } from './expectations'
import { engineUnderTest, newDatabase, startTestServer, time } from './server'
import { send } from './session/browser'

setDefaultTimeout(300_000)

/** Fills a database of the version before a migration, and migrates it. */
async function upgraded(before: number, fill: (db: Db) => Promise<void>) {
  const { url, drop } = await newDatabase()
  const engine = openEngine(url)
  await engine.migrate(async (db) => {
    await schemaVersion(db)
    for (const { number, name, migration } of migrations.filter((each) => each.number < before)) {
      await migration.up(db as unknown as Kysely<never>, engine.syntax)
      await db.insertInto('schema_migrations').values({ number, name, applied_at: 0 }).execute()
    }
    await fill(db)
  })
  await migrate(engine, 0)
  return { engine, url, drop }
}

describe('one password per person', () => {
  const [EARLY, LATE, SAME] = ['early password', 'late password', 'the same password']
  const DAY = 24 * 60 * 60_000
  let old: { engine: Engine; url: string; drop(): Promise<void> }
  let server: Awaited<ReturnType<typeof startTestServer>>

  const secret = (name: string) => `parley_${name.padEnd(43, '_')}`

  beforeAll(async () => {
    const now = time.now()
    const hashes = { early: await hashPassword(EARLY), late: await hashPassword(LATE), same: await hashPassword(SAME) }
    old = await upgraded(5, async (db) => {
      const run = (text: string) => sql.raw(text).execute(db)
      for (const key of [1, 2])
        await run(
          `INSERT INTO workspaces (key, id, slug, name, created_at) VALUES (${key}, 'ws_${key}', 'w${key}', 'W', 1)`,
        )
      // 1 and 2: one person with different passwords. 3: in one workspace. 4: deactivated. 5: a few links.
      const people = [
        [1, 1, 'both@example.com', 0],
        [2, 2, 'both@example.com', 0],
        [3, 1, 'one@example.com', 0],
        [4, 1, 'gone@example.com', 1],
        [5, 1, 'links@example.com', 0],
      ] as const
      for (const [key, workspace, email, isDeactivated] of people) {
        await run(`INSERT INTO users (id, email, created_at) VALUES ('user_${email}', '${email}', 1)
          ON CONFLICT (email) DO NOTHING`)
        await run(`INSERT INTO authors (key, workspace_key, id, type, name, avatar, tokens_count)
          VALUES (${key}, ${workspace}, 'mem_${key}', 'member', 'P', 'a', 1)`)
        await run(`INSERT INTO members (author_key, workspace_key, id, user_key, role, is_deactivated, created_at,
            last_seen_at, search_text)
          SELECT ${key}, ${workspace}, 'mem_${key}', key, 'member', ${isDeactivated}, 1, 1, 'p' FROM users WHERE email = '${email}'`)
        await run(`INSERT INTO tokens (id, workspace_key, author_key, kind, hash, name, scopes, created_at)
          VALUES ('tok_${key}', ${workspace}, ${key}, 'api', '${hashSecret(secret(`token${key}`))}', '', 'admin', 1)`)
        await run(`INSERT INTO sessions (id, workspace_key, author_key, hash, name, created_at, last_used_at, renewed_at, expires_at)
          VALUES ('ses_${key}', ${workspace}, ${key}, '${hashSecret(secret(`session${key}`))}', 'B', ${now}, ${now}, ${now}, ${now + DAY})`)
      }
      const passwords = [
        [1, hashes.early, 10],
        [2, hashes.late, 20],
        [3, hashes.same, 10],
        [4, hashes.same, 10],
      ] as const
      for (const [key, hash, at] of passwords)
        await run(`INSERT INTO passwords (author_key, user_key, hash, changed_at)
          SELECT ${key}, user_key, '${hash}', ${at} FROM members WHERE author_key = ${key}`)
      const links = [
        ['used', 5, 30, 31],
        ['older', 5, 20, 'NULL'],
        ['newest', 5, 25, 'NULL'],
        ['gone', 4, 25, 'NULL'],
      ] as const
      for (const [name, key, created, used] of links)
        await run(`INSERT INTO sign_in_links (hash, workspace_key, author_key, created_at, expires_at, used_at)
          VALUES ('${hashSecret(secret(name))}', 1, ${key}, ${created}, ${now + DAY}, ${used})`)
    })
    server = await startTestServer({ DATABASE_URL: old.url })
  })
  afterAll(async () => {
    await server.stop()
    await old.engine.close()
    await old.drop()
  })

  const signIn = async (email: string, password: string, workspace?: string) => {
    const response = await send(server.url, 'POST', '/session', { email, password, ...(workspace && { workspace }) })
    return response.status === 201
      ? ((await response.json()) as { workspace: { slug: string } }).workspace.slug
      : response.status
  }

  test('of several passwords the last one is kept, and works only in the workspace it was set in', async () => {
    expect(await signIn('both@example.com', LATE)).toBe('w2')
    expect(await signIn('both@example.com', LATE, 'w1')).toBe(401)
    expect(await signIn('both@example.com', EARLY)).toBe(401)
    expect(await signIn('both@example.com', EARLY, 'w1')).toBe(401)
    expect(await signIn('one@example.com', SAME)).toBe('w1')
  })

  test('memberships from before keep the ids of their users', async () => {
    const members = await old.engine.read((db) =>
      db.selectFrom('members').select(['author_key', 'user_id']).orderBy('author_key').execute(),
    )
    expect(members.map(({ user_id }) => user_id)).toEqual(
      ['both', 'both', 'one', 'gone', 'links'].map((name) => `user_${name}@example.com`),
    )
  })

  test('a deactivated member has no credentials left', async () => {
    await old.engine.write((db) => db.updateTable('members').set({ is_deactivated: false }).execute())
    const me = (key: number) =>
      fetch(`${server.url}/v2/me`, { headers: { Authorization: `Bearer ${secret(`token${key}`)}` } })
    const page = (key: number) =>
      send(server.url, 'POST', '/session/token', {}, { Cookie: `parley_session=${secret(`session${key}`)}` })
    expect([(await me(3)).status, (await me(4)).status]).toEqual([200, 401])
    expect([(await page(3)).status, (await page(4)).status]).toEqual([200, 401])
    expect(await signIn('gone@example.com', SAME)).toBe(401)
    const counts = await old.engine.read((db) =>
      db.selectFrom('authors').select(['key', 'tokens_count']).orderBy('key').execute(),
    )
    expect(counts.map(({ tokens_count }) => tokens_count)).toEqual([1, 1, 1, 0, 1])
  })

  test('the newest unused sign-in link of a member keeps working, and gets an id', async () => {
    const statuses = []
    for (const name of ['used', 'older', 'newest', 'gone'])
      statuses.push((await send(server.url, 'POST', '/session/link', { link: secret(name) })).status)
    expect(statuses).toEqual([410, 410, 200, 410])
    const rows = await old.engine.read((db) => db.selectFrom('sign_in_links').select(['id', 'author_key']).execute())
    expect(rows).toEqual([{ id: idOf('link'), author_key: 5 }])
  })
})

test('links that were mailed before the upgrade to several rows a link keep working', async () => {
  const now = time.now()
  const { engine, url, drop } = await upgraded(27, async (db) => {
    const run = (text: string) => sql.raw(text).execute(db)
    await run("INSERT INTO workspaces (key, id, slug, name, created_at) VALUES (1, 'ws_1', 'w1', 'W', 1)")
    await run("INSERT INTO users (key, id, email, created_at) VALUES (1, 'user_1', 'ada@example.com', 1)")
    await run(`INSERT INTO authors (key, workspace_key, id, type, name, avatar, fields)
      VALUES (1, 1, 'mem_1', 'member', 'Ada', 'a', '"name":"Ada","id":"mem_1","type":"member"')`)
    await run(`INSERT INTO members (author_key, workspace_key, id, user_key, role, is_deactivated, created_at, last_seen_at,
        search_text, fields, user_fields)
      VALUES (1, 1, 'mem_1', 1, 'admin', 0, 1, 1, 'ada', '"id":"mem_1"', '"id":"user_1","email":"ada@example.com"')`)
    for (const kind of ['password_reset', 'sign_in'])
      await run(`INSERT INTO account_links (kind, mail_key, user_key, author_key, hash, created_at, expires_at)
        VALUES ('${kind}', 1, 1, 1, '${hashSecret(kind)}', ${now}, ${now + 3_600_000})`)
  })
  const server = await startTestServer({ DATABASE_URL: url })
  const reset = await send(server.url, 'POST', '/session/password', { link: 'password_reset' })
  expect(await reset.json()).toEqual({ email: 'ada@example.com' })
  expect((await send(server.url, 'POST', '/session', { link: 'sign_in' })).status).toBe(201)
  await server.stop()
  await engine.close()
  await drop()
})

test('records that were indexed before are found by their time', async () => {
  const DAY = 24 * 60 * 60_000
  const documents = [
    [1, 20_000.5],
    [2_047, 20_001],
    [2_048, 20_001.9],
    [300_000, 3],
    [300_001, 20_002],
    [300_002, 20_002],
  ] as const
  const { engine, drop } = await upgraded(28, async (db) => {
    const [names, values] =
      engineUnderTest === 'sqlite' ? ['', ''] : [', vector, title_words, content_words', ", '', '', ''"]
    for (const [key, day] of documents)
      await sql
        .raw(`INSERT INTO search_documents (key, workspace_key, type, record_key, place_key, post_key, created_at, title_signature${names})
          VALUES (${key}, 1, 1, ${key}, 1, 1, ${Math.round(day * DAY)}, 0${values})`)
        .execute(db)
  })
  const found = await engine.read(async (db) => ({
    days: await db.selectFrom('search_days').select(['day', 'block']).orderBy('day').orderBy('block').execute(),
    early: await findKeysBetween(db, { createdBefore: 4 * DAY }),
    middle: await findKeysBetween(db, { createdAfter: 20_001 * DAY, createdBefore: 20_001 * DAY + 1 }),
    none: await findKeysBetween(db, { createdAfter: 20_003 * DAY }),
    state: await db.selectFrom('search_state').select('secret').executeTakeFirstOrThrow(),
  }))
  expect(found).toEqual({
    days: [
      [3, 146],
      [20_000, 0],
      [20_001, 0],
      [20_001, 1],
      [20_002, 146],
    ].map(([day, block]) => ({ day: day!, block: block! })),
    early: { from: 146 * 2_048, to: 147 * 2_048 - 1 },
    middle: { from: 0, to: 2 * 2_048 - 1 },
    none: undefined,
    state: { secret: expect.stringMatching(/^[0-9a-f]{64}$/) },
  })
  await engine.close()
  await drop()
})
