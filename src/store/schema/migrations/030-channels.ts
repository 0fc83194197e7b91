import { type Kysely, sql } from 'kysely'
import { fold } from '../../../contract/browser/fold'
import { naturalKey } from '../../../contract/browser/natural-order'
import { noProgress, type OpenProgress } from '../../engines/engine'
import type { SqlSyntax } from '../../engines/syntax'

const CHANNELS_AT_ONCE = 1_000

/**
 * Members have favorites and an order of channels, and channels are sorted by name as people do. #general is joined by whoever
 * becomes a member.
 */
export async function up(db: Kysely<never>, { int, text }: SqlSyntax, openProgress: OpenProgress = noProgress) {
  const run = (statement: string) => sql.raw(statement).execute(db)

  await run(`CREATE TABLE sidebar_channels (author_key ${int} not null, channel_key ${int} not null, is_favorite ${int} not null,
    position ${int} not null, primary key (author_key, channel_key))`)
  await run('ALTER TABLE members ADD COLUMN folded_sections text')
  await run(`ALTER TABLE members ADD COLUMN is_markdown_writer ${int}`)

  await run(`ALTER TABLE channels ADD COLUMN name_order ${text} not null default ''`)
  await run(`ALTER TABLE channels ADD COLUMN search_text ${text} not null default ''`)
  await nameChannels(db, openProgress)
  await run('DROP INDEX channels_by_name')
  await run('CREATE INDEX channels_by_name ON channels (workspace_key, name_order, id)')
}

/**
 * Stores what channels are sorted by and found by, some at a time. The code that makes it cannot change alone: what is stored would
 * have to be made again by another migration.
 */
async function nameChannels(db: Kysely<never>, openProgress: OpenProgress) {
  const { rows: counted } = await sql<{ count: number }>`SELECT count(*) AS count FROM channels`.execute(db)
  const progress = openProgress('the names of channels', Number(counted[0]!.count))
  let done = 0
  for (let after = -1; ; ) {
    const { rows } = await sql<{
      key: number
      name_fold: string
      description: string
    }>`SELECT key, name_fold, description
      FROM channels WHERE key > ${after} ORDER BY key LIMIT ${sql.lit(CHANNELS_AT_ONCE)}`.execute(db)
    for (const { key, name_fold, description } of rows)
      await sql`UPDATE channels SET name_order = ${naturalKey(name_fold)}, search_text = ${`${name_fold}\n${fold(description)}`}
        WHERE key = ${key}`.execute(db)
    done += rows.length
    progress.report(done)
    if (rows.length < CHANNELS_AT_ONCE) break
    after = Number(rows.at(-1)!.key)
  }
  progress.end()
}
