import { type Kysely, sql } from 'kysely'
import { fold } from '../../../contract/browser/fold'
import { naturalKey } from '../../../contract/browser/natural-order'
import { noProgress, type OpenProgress } from '../../engines/engine'
import type { SqlSyntax } from '../../engines/syntax'

const CHANNELS_AT_ONCE = 1_000
const EVENTS_AT_ONCE = 1_000

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

  await run(`ALTER TABLE members ADD COLUMN invited_by_key ${int} not null default 0`)
  await run(`ALTER TABLE members ADD COLUMN setup_done text not null default ''`)
  // Whoever is there already knows their way.
  await run(`UPDATE members SET setup_done = 'profile,password,time_zone,notifications'`)
  await run(`ALTER TABLE workspaces ADD COLUMN is_channel_creation_open ${int} not null default 1`)

  await run(`ALTER TABLE channels ADD COLUMN creator_id ${text}`)
  await run(`ALTER TABLE channels ADD COLUMN is_default ${int} not null default 0`)
  await run(`UPDATE channels SET is_default = 1 WHERE name_fold = 'general' AND is_private = 0`)
  await joinDefaults(run)
  await run(`ALTER TABLE channels ADD COLUMN name_order ${text} not null default ''`)
  await run(`ALTER TABLE channels ADD COLUMN search_text ${text} not null default ''`)
  await nameChannels(db, openProgress)
  await completeEvents(db, openProgress)
  await run('DROP INDEX channels_by_name')
  await run('CREATE INDEX channels_by_name ON channels (workspace_key, name_order, id)')
}

/** Members who are in no channel yet are where newcomers are: the sidebar listed all channels before, and lists those one is in now. */
async function joinDefaults(run: (statement: string) => Promise<unknown>) {
  await run(`INSERT INTO channel_members (workspace_key, channel_key, author_key, author_id, created_at)
    SELECT c.workspace_key, c.key, a.key, a.id, m.created_at FROM channels AS c
    JOIN authors AS a ON a.workspace_key = c.workspace_key
    JOIN members AS m ON m.author_key = a.key AND m.role <> 'guest' AND m.is_deactivated = 0
    WHERE c.is_default = 1 AND c.archived_at IS NULL AND NOT EXISTS (SELECT 1 FROM channel_members AS own
      WHERE own.workspace_key = a.workspace_key AND own.author_key = a.key)`)
  await run(`UPDATE channels SET members_count = (SELECT count(*) FROM channel_members AS cm
    WHERE cm.channel_key = channels.key) WHERE is_default = 1`)
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

const OF_CHANNELS = ['channel.created', 'channel.updated', 'channel.deleted']
const OF_MEMBERS = ['channel.member_added', 'channel.member_removed']
const OF_WORKSPACES = ['workspace.updated']

const ofChannels = { is_default: false, creator_id: null }
const ofWorkspaces = { channel_mentions: 'members', members_create_channels: true }

interface OldEvent {
  workspace_key: number
  revision: number
  type: string
  data: string
}

/** Events hold records, which have more fields now. */
async function completeEvents(db: Kysely<never>, openProgress: OpenProgress) {
  const isOld = sql`type IN (${sql.join([...OF_CHANNELS, ...OF_MEMBERS, ...OF_WORKSPACES])})`
  const { rows: counted } = await sql<{ count: number }>`SELECT count(*) AS count FROM events WHERE ${isOld}`.execute(
    db,
  )
  const progress = openProgress('events about channels', Number(counted[0]!.count))
  let done = 0
  for (let last = { workspace_key: 0, revision: 0 }; ; ) {
    const { rows } = await sql<OldEvent>`SELECT workspace_key, revision, type, data FROM events WHERE ${isOld}
      AND (workspace_key, revision) > (${last.workspace_key}, ${last.revision}) ORDER BY workspace_key, revision
      LIMIT ${sql.lit(EVENTS_AT_ONCE)}`.execute(db)
    for (const { workspace_key, revision, type, data } of rows)
      await sql`UPDATE events SET data = ${JSON.stringify(complete(type, JSON.parse(data)))}
        WHERE workspace_key = ${workspace_key} AND revision = ${revision}`.execute(db)
    done += rows.length
    progress.report(done)
    if (rows.length < EVENTS_AT_ONCE) break
    const { workspace_key, revision } = rows.at(-1)!
    last = { workspace_key: Number(workspace_key), revision: Number(revision) }
  }
  progress.end()
}

function complete(type: string, data: { channel?: object }): object {
  if (OF_CHANNELS.includes(type)) return { ...data, ...ofChannels }
  if (OF_WORKSPACES.includes(type)) return { ...data, ...ofWorkspaces }
  return { ...data, channel: { ...data.channel, ...ofChannels } }
}
