import { type Kysely, sql } from 'kysely'
import { hashSecret } from '../src/domain/secrets'
import type { Db } from '../src/store/engines/db'
import type { Engine } from '../src/store/engines/engine'
import { migrations, schemaVersion } from '../src/store/schema/migrations'

/** Migrates an empty database to the version before a migration, and fills it. */
export async function migrateBefore(engine: Engine, number: number, fill: (db: Db) => Promise<void>) {
  await engine.migrate(async (db) => {
    await schemaVersion(db)
    for (const each of migrations.filter((migration) => migration.number < number)) {
      await each.migration.up(db as unknown as Kysely<never>, engine.syntax)
      await db.insertInto('schema_migrations').values({ number: each.number, name: each.name, applied_at: 0 }).execute()
    }
    await fill(db)
  })
}

export const TOKEN = `parley_${'old'.padEnd(43, '_')}`
/** Text that must be escaped in JSON and SQL. */
export const ODD = `"quotes" \\back\\slash 'single' <b>&amp;</b> \u0001\u001f\t line\nbreak \u2028 é 漢字 🎉 {"json":[1]}`
const TIME = 1_700_000_000_000

const rows = (count: number, into: string) =>
  `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) INSERT INTO ${into}`

/** A workspace as version 10 stored it: posts in one channel, every third resolved, each tenth with three comments. */
export async function fillVersion10(db: Db, posts: number) {
  const run = (text: string) => sql.raw(text).execute(db)
  const quoted = `'${ODD.replaceAll("'", "''")}'`
  await run(`INSERT INTO workspaces (key, id, slug, name, created_at, admins_count, members_count, revision)
    VALUES (1, 'ws_1', 'home', 'Home', 1, 1, 1, 0)`)
  const people = [
    [1, 'mem_ada', 'Ada Lovelace', '3-AL', 'ada@example.com', 'admin'],
    [2, 'mem_zoe', 'Žoé "Z" 漢', '4-Ž漢', 'zoe@example.com', 'member'],
  ] as const
  for (const [key, id, name, avatar, email, role] of people) {
    await run(`INSERT INTO users (key, id, email, created_at) VALUES (${key}, 'user_${key}', '${email}', 1)`)
    await run(`INSERT INTO authors (key, workspace_key, id, type, name, avatar, threads_count, tokens_count)
      VALUES (${key}, 1, '${id}', 'member', '${name}', '${avatar}', 1, ${key === 1 ? 1 : 0})`)
    await run(`INSERT INTO members (author_key, workspace_key, id, user_key, role, created_at, last_seen_at, search_text)
      VALUES (${key}, 1, '${id}', ${key}, '${role}', ${TIME + key}, 1, '${key === 1 ? 'ada lovelace' : 'zoe "z" 漢'}\n${email}')`)
  }
  await run(`INSERT INTO tokens (id, workspace_key, author_key, kind, hash, name, scopes, created_at)
    VALUES ('tok_1', 1, 1, 'api', '${hashSecret(TOKEN)}', '', 'admin', 1)`)
  await run(`INSERT INTO channels (key, id, workspace_key, name, name_fold, is_listed, created_at, posts_count, resolved_count)
    VALUES (1, 'chan_1', 1, 'odd "channel"', 'odd "channel"', 1, 1, ${posts}, ${Math.floor(posts / 3)})`)
  await run(`${rows(posts, 'posts')} (key, id, workspace_key, channel_key, author_key, published_at, last_activity_at,
      comments_count, root_comments_count, is_listed, is_resolved, resolved_at, resolved_by_key, resolved_comment_key,
      title, content, resolved_html, markdown, resolved_markdown)
    SELECT i, 'post_' || (1000000 + i), 1, 1, 1 + i % 2, ${TIME} + i, ${TIME} + 2 * i, CASE WHEN i % 10 = 0 THEN 3 ELSE 0 END,
      CASE WHEN i % 10 = 0 THEN 2 ELSE 0 END, 1, CASE WHEN i % 3 = 0 THEN 1 ELSE 0 END,
      CASE WHEN i % 3 = 0 THEN ${TIME} + 3 * i END, CASE WHEN i % 3 = 0 THEN 2 ELSE 0 END,
      CASE WHEN i % 30 = 0 THEN 3 * i / 10 ELSE 0 END, 'Title ' || i || ' ' || ${quoted}, '<p>' || ${quoted} || '</p>',
      CASE WHEN i % 6 = 0 THEN '<p>' || ${quoted} || '</p>' END, ${quoted}, CASE WHEN i % 6 = 0 THEN ${quoted} END FROM n`)
  // The first of three comments has a reply, and is deleted unless the post is resolved by a comment.
  await run(`${rows(Math.floor(posts / 10) * 3, 'comments')} (key, id, workspace_key, post_key, parent_key, author_key,
      created_at, replies_count, is_deleted, content, markdown)
    SELECT i, 'cmt_' || (1000000 + i), 1, 10 * ((i + 2) / 3), CASE WHEN i % 3 = 2 THEN i - 1 ELSE 0 END, 1, ${TIME} + i,
      CASE WHEN i % 3 = 1 THEN 1 ELSE 0 END, CASE WHEN i % 9 = 1 THEN 1 ELSE 0 END,
      CASE WHEN i % 9 = 1 THEN '' ELSE '<p>' || ${quoted} || '</p>' END, CASE WHEN i % 9 = 1 THEN '' ELSE ${quoted} END FROM n`)
  await run(`INSERT INTO threads (key, id, workspace_key, author_key, title, created_at, last_activity_at, messages_count)
    VALUES (1, 'thr_1', 1, 1, 'Old', 1, 1, 2)`)
  for (const key of [1, 2])
    await run(`INSERT INTO thread_members (workspace_key, thread_key, author_key, thread_id, last_activity_at)
      VALUES (1, 1, ${key}, 'thr_1', 1)`)
  for (const key of [1, 2])
    await run(`INSERT INTO messages (key, id, workspace_key, thread_key, parent_key, author_key, created_at, updated_at, content, markdown)
      VALUES (${key}, 'msg_${key}', 1, 1, ${key - 1}, ${key}, ${TIME + key}, ${TIME + 10 * key}, '<p>' || ${quoted} || '</p>', ${quoted})`)
  await continueKeys(db)
}

/** Inserting explicit keys does not advance the sequences of PostgreSQL. */
async function continueKeys(db: Db) {
  if (db.syntax.indexOf !== 'strpos') return
  for (const table of ['users', 'authors', 'channels', 'posts', 'comments', 'threads', 'messages', 'workspaces'])
    await sql
      .raw(`SELECT setval(pg_get_serial_sequence('${table}', 'key'), (SELECT max(key) FROM ${table}))`)
      .execute(db)
}
