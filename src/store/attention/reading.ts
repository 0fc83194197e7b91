import { sql } from 'kysely'
import type { Viewer } from '../../domain/permissions'
import { type AttentionKind, type AttentionSubject, attentionNumbers } from '../../domain/references'
import { canSeeChannel, viewerKeysOf } from '../access/visibility'
import { prepare, type Reader, type Writer } from '../engines/db'
import { rowOf } from './positions'
import { findReadRevision } from './unread-counts'

/** How far a member has read a post, a thread or a channel, and the entry of it in their inbox. */
export interface ReadState {
  /** Up to this revision by its own row; -1 where there is none. */
  own: number
  isMarkedUnread: boolean
  /** Up to this revision because they read everything, or everything in its channel. */
  others: number
  /** The revision of its entry in the inbox; undefined where there is none. */
  entry?: { revision: number; isRead: boolean }
}

/** Up to which revision it is read. */
export const positionOf = ({ own, isMarkedUnread, others }: ReadState): number =>
  isMarkedUnread ? own : Math.max(own, others)

const rowByKey = prepare((db, param) =>
  db
    .selectFrom('attention')
    .where('author_key', '=', param<number>('me'))
    .where('subject_type', '=', param<number>('type'))
    .where('subject_key', '=', param<number>('key'))
    .select(['read_revision', 'is_marked_unread', 'entry_revision', 'read_at']),
)

export async function findReadState(db: Reader, viewer: Viewer, subject: AttentionSubject): Promise<ReadState> {
  const find = async (kind: AttentionKind, key: number) =>
    (await rowByKey(db, [], { me: viewer.author.key, type: attentionNumbers[kind], key }))[0]
  const own = await find(subject.kind, subject.key)
  const channel = subject.kind === 'post' ? await find('channel', subject.channel_key) : own
  const ofChannel = subject.kind === 'thread' ? 0 : (channel?.read_revision ?? 0)
  return {
    own: own?.read_revision ?? -1,
    isMarkedUnread: own?.is_marked_unread ?? false,
    others: Math.max(ofChannel, await findReadRevision(db, viewer)),
    ...(own?.entry_revision != null && { entry: { revision: own.entry_revision, isRead: own.read_at !== null } }),
  }
}

/** The revision of the first comment or message of a post or thread after a revision. */
export async function findNextRevision(db: Reader, { kind, key }: AttentionSubject, revision: number) {
  const first = { after: revision, key }
  const [next] = kind === 'post' ? await commentAfter(db, [], first) : await messageAfter(db, [], first)
  return next?.revision
}

const commentAfter = prepare((db, param) =>
  db
    .selectFrom('comments')
    .where('post_key', '=', param<number>('key'))
    .where('revision', '>', param<number>('after'))
    .where('is_deleted', '=', false)
    .select('revision')
    .orderBy('revision')
    .limit(1),
)

const messageAfter = prepare((db, param) =>
  db
    .selectFrom('messages')
    .where('thread_key', '=', param<number>('key'))
    .where('revision', '>', param<number>('after'))
    .select('revision')
    .orderBy('revision')
    .limit(1),
)

/** Moves what was marked as unread on to a revision, where more of it was read before it was marked. */
export async function moveMark(db: Writer, viewer: Viewer, subject: AttentionSubject, upTo: number, now: number) {
  const { author_key, subject_type, subject_key } = rowOf(viewer, subject)
  await db
    .updateTable('attention')
    .set({
      read_revision: upTo,
      read_at: sql`CASE WHEN read_at IS NULL AND entry_revision <= ${upTo} THEN ${now} ELSE read_at END`,
    })
    .where('author_key', '=', author_key)
    .where('subject_type', '=', subject_type)
    .where('subject_key', '=', subject_key)
    .execute()
}

/** What a member has marked as unread, in a channel or everywhere, is so no more. Says whether there was any. */
export async function clearMarks(db: Writer, viewer: Viewer, channelKey?: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('attention')
    .set({ is_marked_unread: false })
    .where('author_key', '=', viewer.author.key)
    .$if(channelKey !== undefined, (marked) => marked.where('channel_key', '=', channelKey!))
    .where(sql<boolean>`is_marked_unread = 1`)
    .executeTakeFirst()
  return numUpdatedRows > 0
}

/** Marks all entries of the inbox and of the archive as read, or those of a channel. Says whether there was any that was not. */
export async function setEntriesRead(db: Writer, viewer: Viewer, now: number, channelKey?: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('attention')
    .set({ read_at: now })
    .where('author_key', '=', viewer.author.key)
    .where('entry_id', 'is not', null)
    .where('read_at', 'is', null)
    .$if(channelKey !== undefined, (entries) => entries.where('channel_key', '=', channelKey!))
    .executeTakeFirst()
  return numUpdatedRows > 0
}

export const setEverythingRead = (db: Writer, viewer: Viewer, revision: number) =>
  db.updateTable('members').set({ read_revision: revision }).where('author_key', '=', viewer.author.key).execute()

/** Whether anything happened in a channel after a revision. */
export const hasActivityAfter = async (db: Reader, channelKey: number, revision: number): Promise<boolean> =>
  (await db
    .selectFrom('post_activity')
    .where('channel_key', '=', channelKey)
    .where('activity_revision', '>', revision)
    .select('post_key')
    .limit(1)
    .executeTakeFirst()) !== undefined

/** Whether anything happened after a revision that this member may see. */
export async function hasAnyActivityAfter(db: Reader, viewer: Viewer, revision: number): Promise<boolean> {
  const keys = viewerKeysOf(viewer)
  const channel = await db
    .selectFrom('channels as c')
    .where('c.workspace_key', '=', keys.workspace)
    .where(canSeeChannel('c', keys))
    .where((eb) =>
      eb.exists(
        eb
          .selectFrom('post_activity as p')
          .whereRef('p.channel_key', '=', 'c.key')
          .where('p.activity_revision', '>', revision)
          .select('p.post_key'),
      ),
    )
    .select('c.key')
    .limit(1)
    .executeTakeFirst()
  if (channel) return true
  const thread = await db
    .selectFrom('thread_members as tm')
    .innerJoin('threads as t', 't.key', 'tm.thread_key')
    .where('tm.workspace_key', '=', keys.workspace)
    .where('tm.author_key', '=', keys.me)
    .where('t.activity_revision', '>', revision)
    .select('t.key')
    .limit(1)
    .executeTakeFirst()
  return thread !== undefined
}
