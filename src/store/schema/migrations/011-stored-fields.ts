import { type Kysely, sql } from 'kysely'
import { avatarFile } from '../../../domain/avatar'
import { noProgress, type OpenProgress } from '../../engines/engine'
import type { SqlSyntax } from '../../engines/syntax'

type Run = (statement: string) => Promise<unknown>

/** Rows that are copied by one statement: few enough for the progress to move, many enough to be quick. */
const BATCH = 10_000
const AUTHORS_BATCH = 500

/**
 * Stores the JSON of what belongs to a record with it, in the columns `fields`, `activity` and `resolution`, in place of
 * the columns it is made of. Large tables are copied, in the order of their keys: changing each row in place would leave
 * twice the space behind.
 */
export async function up(db: Kysely<never>, syntax: SqlSyntax, openProgress: OpenProgress = noProgress) {
  const run: Run = (statement) => sql.raw(statement).execute(db)
  await syntax.dropMemberSearch(db)
  await storeSmallTables(db, run, syntax)
  for (const table of tablesFor(syntax)) await copyTable(db, run, table, syntax, openProgress)
  await run(
    `CREATE INDEX events_of_members ON events (workspace_key, revision) WHERE type IN
      ('member.created', 'member.updated', 'member.deactivated', 'member.reactivated', 'workspace.seeded')`,
  )
}

async function storeSmallTables(db: Kysely<never>, run: Run, { quoteJson, isoTime }: SqlSyntax) {
  const add = (table: string, column: string) =>
    run(`ALTER TABLE ${table} ADD COLUMN ${column} text not null default ''`)
  await run('ALTER TABLE authors DROP COLUMN card')
  await add('authors', 'fields')
  await run(
    `UPDATE authors SET fields = '"name":' || ${quoteJson('name')} || ',"id":"' || id || '","type":"' || type || '"'`,
  )
  await nameAvatarFiles(db)
  await add('channels', 'fields')
  await run(`UPDATE channels SET fields = '"id":"' || id || '","name":' || ${quoteJson('name')}`)
  await add('members', 'fields')
  await add('members', 'user_fields')
  await run(`UPDATE members SET fields = '"id":"' || id || '","created_at":"' || ${isoTime('created_at')} || '"',
    user_fields = (SELECT '"id":"' || u.id || '","email":' || ${quoteJson('u.email')} FROM users AS u WHERE u.key = user_key)`)
}

/** An avatar is stored as the name of its file, escaped for a URL, so that SQL can write its address. */
async function nameAvatarFiles(db: Kysely<never>) {
  for (let last = 0; ; ) {
    const { rows } = await sql<{ key: number; avatar: string }>`
      SELECT key, avatar FROM authors WHERE key > ${last} ORDER BY key LIMIT ${AUTHORS_BATCH}`.execute(db)
    for (const { key, avatar } of rows)
      await sql`UPDATE authors SET avatar = ${avatarFile(avatar)} WHERE key = ${key}`.execute(db)
    if (rows.length < AUTHORS_BATCH) return
    last = rows.at(-1)!.key
  }
}

interface CopiedTable {
  name: string
  create: string
  indexes: readonly string[]
  /** The columns of the new table, and where they come from in the old one, under the name `o`. */
  columns: Readonly<Record<string, string>>
}

const same = (...names: string[]) => Object.fromEntries(names.map((name) => [name, `o.${name}`]))

function tablesFor({ key, int, text, quoteJson, isoTime }: SqlSyntax): CopiedTable[] {
  const count = `${int} not null default 0`
  const idOf = (table: string, ownKey: string) => `(SELECT id FROM ${table} AS other WHERE other.key = ${ownKey})`
  const quotedIdOf = (table: string, ownKey: string) => `coalesce('"' || ${idOf(table, ownKey)} || '"', 'null')`
  return [
    {
      name: 'posts',
      create: `key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
        channel_key ${int} not null references channels (key), author_key ${int} not null references authors (key),
        published_at ${int} not null, last_activity_at ${int} not null,
        comments_count ${count}, root_comments_count ${count}, is_listed ${count}, is_resolved ${count},
        resolved_by_key ${count}, resolved_comment_key ${count}, activity text not null, fields text not null,
        resolution text, markdown text not null, resolved_markdown text`,
      indexes: [
        'CREATE UNIQUE INDEX posts_id ON posts (workspace_key, id)',
        ...['published_at', 'last_activity_at'].flatMap((sort) => [
          `CREATE INDEX posts_listed_by_${sort} ON posts (workspace_key, is_listed, is_resolved, ${sort}, id)`,
          `CREATE INDEX posts_of_channel_by_${sort} ON posts (workspace_key, channel_key, is_resolved, ${sort}, id)`,
        ]),
      ],
      columns: {
        ...same('key', 'id', 'workspace_key', 'channel_key', 'author_key', 'published_at', 'last_activity_at'),
        ...same('comments_count', 'root_comments_count', 'is_listed', 'is_resolved', 'resolved_by_key'),
        ...same('resolved_comment_key', 'markdown', 'resolved_markdown'),
        activity: `'"last_activity_at":"' || ${isoTime('o.last_activity_at')} || '","comments_count":' || o.comments_count`,
        fields: `'"id":"' || o.id || '","title":' || ${quoteJson('o.title')} || ',"created_at":"' ||
          ${isoTime('o.published_at')} || '","content":' || ${quoteJson('o.content')}`,
        resolution: `CASE WHEN o.resolved_at IS NULL THEN NULL ELSE '"resolved_at":"' || ${isoTime('o.resolved_at')} ||
          '","resolved_html":' || coalesce(${quoteJson('o.resolved_html')}, 'null') END`,
      },
    },
    {
      name: 'comments',
      create: `key ${key}, id ${text} not null, workspace_key ${int} not null, post_key ${int} not null,
        parent_key ${count}, author_key ${int} not null references authors (key), created_at ${int} not null,
        replies_count ${count}, is_deleted ${count}, fields text not null, markdown text not null`,
      indexes: [
        'CREATE UNIQUE INDEX comments_id ON comments (workspace_key, id)',
        'CREATE INDEX comments_of_post ON comments (workspace_key, post_key, created_at, id)',
        'CREATE INDEX comments_of_parent ON comments (workspace_key, post_key, parent_key, created_at, id)',
      ],
      columns: {
        ...same('key', 'id', 'workspace_key', 'post_key', 'parent_key', 'author_key', 'created_at', 'replies_count'),
        ...same('is_deleted', 'markdown'),
        fields: `'"id":"' || o.id || '","content":' || ${quoteJson('o.content')} || ',"created_at":"' ||
          ${isoTime('o.created_at')} || '","parent_id":' || ${quotedIdOf('old_comments', 'o.parent_key')} ||
          ',"subject_id":' || ${quotedIdOf('posts', 'o.post_key')} || ',"subject_type":"post"'`,
      },
    },
    {
      name: 'messages',
      create: `key ${key}, id ${text} not null, workspace_key ${int} not null,
        thread_key ${int} not null references threads (key), parent_key ${count},
        author_key ${int} not null references authors (key), created_at ${int} not null, updated_at ${int} not null,
        fields text not null, markdown text not null`,
      indexes: [
        'CREATE UNIQUE INDEX messages_id ON messages (workspace_key, id)',
        'CREATE INDEX messages_of_thread ON messages (workspace_key, thread_key, created_at, id)',
        'CREATE INDEX messages_of_parent ON messages (workspace_key, thread_key, parent_key)',
      ],
      columns: {
        ...same('key', 'id', 'workspace_key', 'thread_key', 'parent_key', 'author_key', 'created_at', 'updated_at'),
        ...same('markdown'),
        fields: `'"id":"' || o.id || '","content":' || ${quoteJson('o.content')} || ',"created_at":"' ||
          ${isoTime('o.created_at')} || '","updated_at":"' || ${isoTime('o.updated_at')} || '","parent_id":' ||
          ${quotedIdOf('old_messages', 'o.parent_key')} || ',"thread_id":' || ${quotedIdOf('threads', 'o.thread_key')}`,
      },
    },
  ]
}

async function copyTable(
  db: Kysely<never>,
  run: Run,
  { name, create, indexes, columns }: CopiedTable,
  syntax: SqlSyntax,
  openProgress: OpenProgress,
) {
  const old = `old_${name}`
  await run(`ALTER TABLE ${name} RENAME TO ${old}`)
  await run(`CREATE TABLE ${name} (${create})`)
  const [{ total, last }] = (
    await sql<{ total: number; last: number }>`SELECT count(*) AS total, coalesce(max(key), 0) AS last
      FROM ${sql.table(old)}`.execute(db)
  ).rows as [{ total: number; last: number }]
  const progress = openProgress(`${name} rewritten`, total)
  let done = 0
  for (let from = 0; from < last; from += BATCH) {
    const { numAffectedRows } = await sql`
      INSERT INTO ${sql.table(name)} (${sql.raw(Object.keys(columns).join())})
      SELECT ${sql.raw(Object.values(columns).join())} FROM ${sql.table(old)} AS o
      WHERE o.key > ${from} AND o.key <= ${from + BATCH} ORDER BY o.key`.execute(db)
    done += Number(numAffectedRows ?? 0)
    progress.report(done)
    // On SQLite statements block everything else: requests for readiness are answered in between.
    await Bun.sleep(0)
  }
  progress.end()
  await syntax.continueKeys(db, old, name)
  await run(`DROP TABLE ${old}`)
  for (const index of indexes) await run(index)
}
