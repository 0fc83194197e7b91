import { type Kysely, type RawBuilder, sql } from 'kysely'
import { noProgress, type OpenProgress } from '../../engines/engine'
import type { SqlSyntax } from '../../engines/syntax'

type Db = Kysely<never>
type Run = (statement: string) => Promise<unknown>

/** Rows that are copied by one statement: few enough for the progress to move, many enough to be quick. */
const BATCH = 5_000

/**
 * What was stored as JSON becomes columns. The tables are copied in the order of their keys: SQLite cannot add columns that are
 * stored when they are generated, and changing each row in place would leave twice the space behind.
 */
export async function up(db: Db, syntax: SqlSyntax, openProgress: OpenProgress = noProgress) {
  const run: Run = (statement) => sql.raw(statement).execute(db)
  if (syntax.kind === 'postgres') await run(WRITE_TIME)
  // What is copied is removed at once: pins refer to posts until they are copied, too.
  else await run('PRAGMA defer_foreign_keys = ON')
  for (const table of ['authors', 'channels']) await run(`ALTER TABLE ${table} DROP COLUMN fields`)
  const tables = tablesFor(syntax)
  for (const table of tables) await copyTable(db, run, table, syntax, openProgress)
  // Others refer to posts, so these go last, and the indexes have the names of those before.
  for (const { name } of tables.toReversed()) await run(`DROP TABLE old_${name}`)
  for (const { indexes } of tables) for (const index of indexes) await run(index)
}

/**
 * PostgreSQL takes `to_char` for something that a setting could change, which it does not for numbers. In PL/pgSQL it is compiled
 * once for each connection: a function in SQL would be planned again by every statement that writes a row.
 */
const WRITE_TIME = `CREATE FUNCTION parley_time(milliseconds bigint) RETURNS text
  LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$BEGIN RETURN
    to_char(to_timestamp(milliseconds / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'); END$$`

interface CopiedTable {
  name: string
  /** The column that it is copied in the order of. */
  key: string
  create: string
  indexes: readonly string[]
  /** The columns of the new table, and where they come from in the old one, under the name `o`. */
  columns: Readonly<Record<string, string>>
  /** Which of them come from JSON: the column of the old table, and the name in it. */
  fromJson?: Readonly<Record<string, readonly [column: string, name: string]>>
  /** Another table that is filled from the same rows. */
  and?: { name: string; columns: Readonly<Record<string, string>> }
}

const same = (...names: string[]) => Object.fromEntries(names.map((name) => [name, `o.${name}`]))

function tablesFor({ kind, key, int, text }: SqlSyntax): CopiedTable[] {
  const count = `${int} not null default 0`
  const time = (name: string, of: string) => `${name} text GENERATED ALWAYS AS (${writtenTime(kind, of)}) STORED`
  const milliseconds = (json: string) =>
    kind === 'sqlite'
      ? `CAST(round(unixepoch(${json}, 'subsec') * 1000) AS integer)`
      : `CAST(round(extract(epoch FROM CAST(${json} AS timestamptz)) * 1000) AS bigint)`
  // It begins with `"resolved_at":"`, and all times have the same length.
  const resolvedAt = 'substr(o.resolution, 16, 24)'
  const bySort = (table: string, id: string, sort: string) => [
    `CREATE INDEX posts_listed_by_${sort} ON ${table} (workspace_key, is_listed, is_resolved, ${sort}, ${id})`,
    `CREATE INDEX posts_of_channel_by_${sort} ON ${table} (workspace_key, channel_key, is_resolved, ${sort}, ${id})`,
    `CREATE INDEX posts_of_author_by_${sort} ON ${table} (workspace_key, author_key, channel_key, is_resolved, ${sort}, ${id})`,
  ]
  return [
    {
      name: 'posts',
      key: 'key',
      create: `key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
        channel_key ${int} not null references channels (key), author_key ${int} not null references authors (key),
        published_at ${int} not null, ${time('published_time', 'published_at')},
        is_listed ${count}, is_resolved ${count}, resolved_at ${int}, ${time('resolved_time', 'resolved_at')},
        resolved_by_key ${count}, resolved_comment_key ${count}, title text not null, content text not null,
        resolved_html text, edited_at ${int}, answer_deleted_at ${int}, via text, resolved_via text,
        markdown text not null, resolved_markdown text`,
      indexes: [
        'CREATE UNIQUE INDEX posts_id ON posts (workspace_key, id)',
        ...bySort('posts', 'id', 'published_at'),
        ...bySort('post_activity', 'post_id', 'last_activity_at'),
        'CREATE INDEX posts_activity ON post_activity (channel_key, activity_revision)',
      ],
      columns: {
        ...same('key', 'id', 'workspace_key', 'channel_key', 'author_key', 'published_at', 'is_listed', 'is_resolved'),
        ...same('resolved_by_key', 'resolved_comment_key', 'edited_at', 'answer_deleted_at', 'via', 'resolved_via'),
        ...same('markdown', 'resolved_markdown'),
        resolved_at: `CASE WHEN o.resolution IS NULL THEN NULL ELSE ${milliseconds(resolvedAt)} END`,
      },
      fromJson: {
        title: ['fields', 'title'],
        content: ['fields', 'content'],
        resolved_html: ['resolution', 'resolved_html'],
      },
      and: {
        name: 'post_activity',
        columns: {
          ...{ post_key: 'o.key', post_id: 'o.id' },
          ...same('workspace_key', 'channel_key', 'author_key', 'is_listed', 'is_resolved', 'last_activity_at'),
          ...same('comments_count', 'root_comments_count', 'activity_revision', 'own_revision'),
        },
      },
    },
    {
      name: 'pins',
      key: 'post_key',
      create: `post_key ${int} primary key references posts (key), post_id ${text} not null,
        workspace_key ${int} not null references workspaces (key), channel_key ${int} not null references channels (key),
        author_key ${int} not null references authors (key), pinned_at ${int} not null`,
      indexes: ['CREATE INDEX pins_of_channel ON pins (workspace_key, channel_key, pinned_at, post_id)'],
      columns: same('post_key', 'post_id', 'workspace_key', 'channel_key', 'author_key', 'pinned_at'),
    },
    {
      name: 'saved_posts',
      key: 'post_key',
      create: `author_key ${int} not null references authors (key), post_key ${int} not null references posts (key),
        post_id ${text} not null, workspace_key ${int} not null references workspaces (key),
        saved_at ${int} not null, remind_at ${int}, primary key (author_key, post_key)`,
      indexes: [
        'CREATE INDEX saved_posts_by_time ON saved_posts (author_key, saved_at, post_id)',
        'CREATE INDEX saved_posts_of_post ON saved_posts (post_key)',
        'CREATE INDEX reminders_due ON saved_posts (remind_at, author_key, post_key) WHERE remind_at IS NOT NULL',
      ],
      columns: same('author_key', 'post_key', 'post_id', 'workspace_key', 'saved_at', 'remind_at'),
    },
    {
      name: 'comments',
      key: 'key',
      create: `key ${key}, id ${text} not null, workspace_key ${int} not null, post_key ${int} not null,
        parent_key ${count}, author_key ${int} not null references authors (key),
        created_at ${int} not null, ${time('created_time', 'created_at')},
        replies_count ${count}, is_deleted ${count}, revision ${count}, content text not null, edited_at ${int}, via text,
        markdown text not null`,
      indexes: [
        'CREATE UNIQUE INDEX comments_id ON comments (workspace_key, id)',
        'CREATE INDEX comments_of_post ON comments (workspace_key, post_key, created_at, id)',
        'CREATE INDEX comments_of_parent ON comments (workspace_key, post_key, parent_key, created_at, id)',
        'CREATE INDEX comments_revision ON comments (post_key, revision)',
      ],
      columns: {
        ...same('key', 'id', 'workspace_key', 'post_key', 'parent_key', 'author_key', 'created_at', 'replies_count'),
        ...same('is_deleted', 'revision', 'edited_at', 'via', 'markdown'),
      },
      fromJson: { content: ['fields', 'content'] },
    },
    {
      name: 'messages',
      key: 'key',
      create: `key ${key}, id ${text} not null, workspace_key ${int} not null,
        thread_key ${int} not null references threads (key), parent_key ${count},
        author_key ${int} not null references authors (key), created_at ${int} not null,
        ${time('created_time', 'created_at')}, updated_at ${int} not null, ${time('updated_time', 'updated_at')},
        revision ${count}, content text not null, via text, markdown text not null`,
      indexes: [
        'CREATE UNIQUE INDEX messages_id ON messages (workspace_key, id)',
        'CREATE INDEX messages_of_thread ON messages (workspace_key, thread_key, created_at, id)',
        'CREATE INDEX messages_of_parent ON messages (workspace_key, thread_key, parent_key)',
        'CREATE INDEX messages_revision ON messages (thread_key, revision)',
      ],
      columns: {
        ...same('key', 'id', 'workspace_key', 'thread_key', 'parent_key', 'author_key', 'created_at', 'updated_at'),
        ...same('revision', 'via', 'markdown'),
      },
      fromJson: { content: ['fields', 'content'] },
    },
    {
      name: 'members',
      key: 'author_key',
      create: `author_key ${int} primary key references authors (key), workspace_key ${int} not null, id ${text} not null,
        user_key ${int} not null references users (key), role ${text} not null, is_deactivated ${count},
        created_at ${int} not null, ${time('created_time', 'created_at')}, last_seen_at ${int} not null,
        search_text ${text} not null, read_revision ${count}, job_title text, time_zone text, is_enter_send ${int},
        draft_version ${count}, user_id ${text} not null default ''`,
      indexes: [
        'CREATE UNIQUE INDEX members_user ON members (workspace_key, user_key)',
        'CREATE INDEX members_by_created_at ON members (workspace_key, role, created_at, id)',
        'CREATE INDEX members_by_last_seen_at ON members (workspace_key, role, last_seen_at, id)',
      ],
      columns: {
        ...same('author_key', 'workspace_key', 'id', 'user_key', 'role', 'is_deactivated', 'created_at'),
        ...same('last_seen_at', 'search_text', 'read_revision', 'job_title', 'time_zone', 'draft_version', 'user_id'),
        is_enter_send: `CASE o.preferences WHEN '{"enter_sends":true}' THEN 1 WHEN '{"enter_sends":false}' THEN 0 END`,
      },
    },
  ]
}

const writtenTime = (kind: SqlSyntax['kind'], column: string) =>
  kind === 'sqlite' ? `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')` : `parley_time(${column})`

const createActivity = ({ kind, int, text }: SqlSyntax) => `CREATE TABLE post_activity (
  post_key ${int} primary key, post_id ${text} not null, workspace_key ${int} not null, channel_key ${int} not null,
  author_key ${int} not null, is_listed ${int} not null default 0, is_resolved ${int} not null default 0,
  last_activity_at ${int} not null, last_activity_time text GENERATED ALWAYS AS (${writtenTime(kind, 'last_activity_at')}) STORED,
  comments_count ${int} not null default 0, root_comments_count ${int} not null default 0,
  activity_revision ${int} not null default 0, own_revision ${int} not null default 0)`

async function copyTable(db: Db, run: Run, table: CopiedTable, syntax: SqlSyntax, openProgress: OpenProgress) {
  const { name, key, create, and } = table
  await run(`ALTER TABLE ${name} RENAME TO old_${name}`)
  await run(`CREATE TABLE ${name} (${create})`)
  if (and) await run(createActivity(syntax))
  if (syntax.kind === 'sqlite') await dropIndexes(db, `old_${name}`)
  const { rows } = await sql<{ last: number }>`SELECT coalesce(max(${sql.ref(key)}), 0) AS last
    FROM ${sql.table(`old_${name}`)}`.execute(db)
  const last = Number(rows[0]!.last)
  const progress = openProgress(`${name} rewritten`, last)
  for (let from = 0; from < last; from += BATCH) {
    await copyRows(db, table, syntax, from)
    progress.report(Math.min(from + BATCH, last))
    // On SQLite statements block everything else: requests for readiness are answered in between.
    await Bun.sleep(0)
  }
  progress.end()
  if (key === 'key') await syntax.continueKeys(db, `old_${name}`, name)
}

async function copyRows(
  db: Db,
  { name, key, columns, fromJson = {}, and }: CopiedTable,
  syntax: SqlSyntax,
  from: number,
) {
  const isInBatch = sql`o.${sql.ref(key)} > ${from} AND o.${sql.ref(key)} <= ${from + BATCH}`
  const insert = (into: string, values: Record<string, RawBuilder<unknown>>) =>
    sql`INSERT INTO ${sql.table(into)} (${sql.raw(Object.keys(values).join())})
      SELECT ${sql.join(Object.values(values))} FROM ${sql.table(`old_${name}`)} AS o
      WHERE ${isInBatch} ORDER BY o.${sql.ref(key)}`.execute(db)
  const plain = Object.entries(columns).map(([column, from]) => [column, sql.raw(from)] as const)
  const parsed = Object.entries(fromJson).map(
    ([column, [json, field]]) => [column, fieldOf(syntax, json, field)] as const,
  )
  await insert(name, Object.fromEntries([...plain, ...parsed]))
  if (and)
    await insert(and.name, Object.fromEntries(Object.entries(and.columns).map(([to, from]) => [to, sql.raw(from)])))
  await copyUnusualTexts(db, name, fromJson, syntax, isInBatch)
  // Dropping a table, SQLite keeps all its pages in memory. So the file hardly grows, either.
  if (syntax.kind === 'sqlite')
    await sql`DELETE FROM ${sql.table(`old_${name}`)} WHERE ${sql.ref(key)} <= ${from + BATCH}`.execute(db)
}

async function dropIndexes(db: Db, table: string) {
  const { rows } = await sql<{ name: string }>`SELECT name FROM sqlite_master
    WHERE type = 'index' AND tbl_name = ${table} AND sql IS NOT NULL`.execute(db)
  for (const { name } of rows) await sql`DROP INDEX ${sql.ref(name)}`.execute(db)
}

/** JSON writes characters that are no text, such as half a surrogate pair, as `\u` and a number: see `copyUnusualTexts`. */
const isUnusual = ({ indexOf }: SqlSyntax, json: string) =>
  sql`${sql.raw(indexOf)}(${sql.ref(`o.${json}`)}, ${'\\u'}) > 0`

function fieldOf(syntax: SqlSyntax, json: string, field: string): RawBuilder<unknown> {
  const object = sql`'{' || ${sql.ref(`o.${json}`)} || '}'`
  return sql`CASE WHEN ${isUnusual(syntax, json)} THEN '' ELSE ${syntax.textInJson(object, [field])} END`
}

/** A column holds no half of a surrogate pair and no NUL: each becomes U+FFFD, as when someone writes it. */
async function copyUnusualTexts(
  db: Db,
  table: string,
  fromJson: Required<CopiedTable>['fromJson'],
  syntax: SqlSyntax,
  isInBatch: RawBuilder<unknown>,
) {
  for (const [column, [json, field]] of Object.entries(fromJson)) {
    const { rows } = await sql<{ key: number }>`SELECT o.key FROM ${sql.table(`old_${table}`)} AS o
      WHERE ${isInBatch} AND ${isUnusual(syntax, json)}`.execute(db)
    for (const { key } of rows) {
      const stored = await sql<{ json: string }>`SELECT ${sql.ref(json)} AS json FROM ${sql.table(`old_${table}`)}
        WHERE key = ${key}`.execute(db)
      const value = (JSON.parse(`{${stored.rows[0]!.json}}`) as Record<string, string | null>)[field] ?? null
      const text = value?.toWellFormed().replaceAll('\0', '\ufffd') ?? null
      await sql`UPDATE ${sql.table(table)} SET ${sql.ref(column)} = ${text} WHERE key = ${key}`.execute(db)
    }
  }
}
