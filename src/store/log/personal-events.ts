import { insertRows } from '../engines/bulk'
import type { Reader, Writer } from '../engines/db'
import type { EventRow } from './events'

/**
 * On PostgreSQL, what somebody does for themselves is committed beside the changes of the workspace, without its lock: its events
 * wait here, until the next change appends them to the log. Nothing is lost in between, since they are committed with what they
 * tell.
 */
export type PersonalEvent = Pick<
  EventRow,
  'workspace_key' | 'nonce' | 'type' | 'actor_key' | 'recipients' | 'via' | 'created_at' | 'data'
>

export const insertPersonalEvents = (db: Writer, events: readonly EventRow[]) =>
  insertRows(
    db,
    'personal_events',
    events.map(({ workspace_key, nonce, type, actor_key, recipients, via, created_at, data }) => ({
      ...{ workspace_key, nonce, type, actor_key, recipients, via, created_at, data },
    })),
  )

/** Takes the next events of a workspace that is locked, in order, to append them to its log. */
export async function takePersonalEvents(db: Writer, workspaceKey: number, limit: number): Promise<PersonalEvent[]> {
  const next = await db
    .selectFrom('personal_events')
    .where('workspace_key', '=', workspaceKey)
    .orderBy('key')
    .limit(limit)
    .selectAll()
    .execute()
  if (next.length === 0) return []
  await db
    .deleteFrom('personal_events')
    .where(
      'key',
      'in',
      next.map(({ key }) => key),
    )
    .execute()
  return next.map(({ key, ...event }) => event)
}

/** The workspaces whose log lacks events, such as those of a node that was killed. */
export const listWorkspacesToAppend = async (db: Reader): Promise<number[]> =>
  (await db.selectFrom('personal_events').select('workspace_key').distinct().execute()).map((row) => row.workspace_key)
