import { type Selectable, sql } from 'kysely'
import type { Slice } from '../../domain/lists/paging'
import { accessKeyOf, type Viewer } from '../../domain/permissions'
import { prepare, type Reader, type RowOf, type Writer } from '../engines/db'
import { listRows } from '../lists/list'
import { storedAuthor } from '../lists/record-json'
import type { Tables } from '../schema'

const columns = [
  ...([
    't.key',
    't.author_key',
    't.id',
    't.title',
    't.direct_pair',
    't.created_at',
    't.updated_at',
    't.last_message_at',
    't.last_activity_at',
    't.messages_count',
  ] as const),
  storedAuthor('a').as('author'),
] as const

const threadById = prepare((db, param) =>
  db
    .selectFrom('threads as t')
    .innerJoin('thread_members as tm', 'tm.thread_key', 't.key')
    .innerJoin('authors as a', 'a.key', 't.author_key')
    .where('t.workspace_key', '=', param<number>('workspace'))
    .where('t.id', '=', param<string>('id'))
    .where('tm.author_key', '=', param<number>('me'))
    .select(columns),
)

export type ThreadRow = RowOf<typeof threadById>

/** A thread this viewer takes part in. Every read of a thread starts here. */
export async function findThread(db: Reader, viewer: Viewer, id: string): Promise<ThreadRow | undefined> {
  const [thread] = await threadById(db, [], { workspace: viewer.workspace.key, me: accessKeyOf(viewer), id })
  return thread
}

export const findDirectThread = (db: Reader, viewer: Viewer, pair: string) =>
  db
    .selectFrom('threads')
    .where('workspace_key', '=', viewer.workspace.key)
    .where('direct_pair', '=', pair)
    .select(['key', 'id'])
    .executeTakeFirst()

/** The threads the viewer takes part in, and how many. */
export const listThreads = (db: Reader, viewer: Viewer, slice: Slice) =>
  listRows(
    db,
    {
      ...{ table: 'thread_members', key: 'thread_key', at: 'last_activity_at', id: 'thread_id', records: 'threads' },
      ranges: [{ workspace_key: viewer.workspace.key, author_key: viewer.author.key }],
    },
    slice,
    (keys) =>
      keys
        .innerJoin('threads as t', 't.key', 'k.key')
        .innerJoin('authors as a', 'a.key', 't.author_key')
        .select(columns),
    sql<number>`(SELECT threads_count FROM authors WHERE key = ${viewer.author.key})`,
  )

type NewThread = Pick<
  Selectable<Tables['threads']>,
  'id' | 'workspace_key' | 'author_key' | 'title' | 'direct_pair' | 'created_at' | 'activity_revision'
>

export async function insertThread(db: Writer, thread: NewThread, memberKeys: readonly number[]) {
  const inserted = await db
    .insertInto('threads')
    .values({
      ...thread,
      updated_at: thread.created_at,
      last_activity_at: thread.created_at,
      last_message_at: null,
      messages_count: 0,
    })
    .returning(['key', 'id'])
    .executeTakeFirstOrThrow()
  await db
    .insertInto('thread_members')
    .values(
      memberKeys.map((author_key) => ({
        workspace_key: thread.workspace_key,
        thread_key: inserted.key,
        author_key,
        thread_id: thread.id,
        last_activity_at: thread.created_at,
      })),
    )
    .execute()
  await db
    .updateTable('authors')
    .set({ threads_count: sql`threads_count + 1` })
    .where('key', 'in', memberKeys)
    .execute()
  return inserted
}

const addMessage = prepare((db, param) =>
  db
    .updateTable('threads')
    .set({
      messages_count: sql`messages_count + 1`,
      updated_at: param<number>('created_at'),
      last_activity_at: param<number>('created_at'),
      last_message_at: param<number>('created_at'),
      activity_revision: param<number>('revision'),
    })
    .where('key', '=', param<number>('key')),
)

const moveUp = prepare((db, param) =>
  db
    .updateTable('thread_members')
    .set({ last_activity_at: param<number>('created_at') })
    .where('thread_key', '=', param<number>('key')),
)

/** Counts a new message, and moves its thread up in the lists of its participants. */
export async function addToThread(db: Writer, key: number, message: { created_at: number; revision: number }) {
  await addMessage(db, [], { key, ...message })
  await moveUp(db, [], { key, ...message })
}

const latestMessage = sql<number | null>`(SELECT max(m.created_at) FROM messages AS m
  WHERE m.workspace_key = threads.workspace_key AND m.thread_key = threads.key)`

/** Subtracts a deleted message from its thread. The last activity is then that of the latest remaining message. */
export const removeFromThread = (db: Writer, key: number, now: number) =>
  db
    .updateTable('threads')
    .set({
      messages_count: sql`messages_count - 1`,
      updated_at: now,
      last_message_at: latestMessage,
      activity_revision: sql`coalesce((SELECT max(m.revision) FROM messages AS m WHERE m.thread_key = threads.key), 0)`,
    })
    .where('key', '=', key)
    .execute()
