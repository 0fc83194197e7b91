import type { Reader, Writer } from './db'
import type { Tables } from './schema'

export type EventRow = Tables['events']

/** Appends events to the log of a workspace. Only with revisions its transaction took. */
export async function insertEvents(db: Writer, events: readonly EventRow[]) {
  for (const event of events)
    await db.prepared(
      'events.insert',
      (slot) =>
        db.insertInto('events').values({
          workspace_key: slot<number>('workspace_key'),
          revision: slot<number>('revision'),
          type: slot<string>('type'),
          actor_key: slot<number>('actor_key'),
          channel_key: slot<number>('channel_key'),
          thread_key: slot<number>('thread_key'),
          created_at: slot<number>('created_at'),
          data: slot<string>('data'),
        }),
      { ...event },
    )
}

/** The log of a workspace after a revision, in order. */
export const listEvents = (db: Reader, workspaceKey: number, after: number, limit: number) =>
  db
    .selectFrom('events')
    .where('workspace_key', '=', workspaceKey)
    .where('revision', '>', after)
    .selectAll()
    .orderBy('revision')
    .limit(limit)
    .execute()
