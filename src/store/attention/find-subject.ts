import type { Viewer } from '../../domain/permissions'
import type { AttentionKind } from '../../domain/references'
import { channelIsOpen, viewerKeysOf } from '../access/visibility'
import type { Reader } from '../engines/db'

/** A post, a thread or a channel, as what a member reads and follows. */
export interface Subject {
  type: AttentionKind
  key: number
  id: string
  /** The channel of a post, or the channel itself; 0 for a thread. */
  channel_key: number
  /** The revision of what happened to it last; 0 for a channel. */
  activity_revision: number
}

/** A post, a thread or a channel that this viewer may see. */
export async function findSubject(db: Reader, viewer: Viewer, id: string): Promise<Subject | undefined> {
  if (id.startsWith('post_')) return findPost(db, viewer, id)
  if (id.startsWith('thr_')) return findThread(db, viewer, id)
  return id.startsWith('chan_') ? findChannel(db, viewer, id) : undefined
}

async function findPost(db: Reader, viewer: Viewer, id: string): Promise<Subject | undefined> {
  const post = await db
    .selectFrom('posts as p')
    .innerJoin('channels as c', 'c.key', 'p.channel_key')
    .where('p.workspace_key', '=', viewer.workspace.key)
    .where('p.id', '=', id)
    .where(channelIsOpen('c', viewerKeysOf(viewer)))
    .select(['p.key', 'p.id', 'p.channel_key', 'p.activity_revision'])
    .executeTakeFirst()
  return post && { type: 'post', ...post }
}

async function findThread(db: Reader, viewer: Viewer, id: string): Promise<Subject | undefined> {
  const thread = await db
    .selectFrom('threads as t')
    .innerJoin('thread_members as tm', 'tm.thread_key', 't.key')
    .where('t.workspace_key', '=', viewer.workspace.key)
    .where('t.id', '=', id)
    .where('tm.author_key', '=', viewer.author.key)
    .select(['t.key', 't.id', 't.activity_revision'])
    .executeTakeFirst()
  return thread && { type: 'thread', ...thread, channel_key: 0 }
}

async function findChannel(db: Reader, viewer: Viewer, id: string): Promise<Subject | undefined> {
  const channel = await db
    .selectFrom('channels as c')
    .where('c.workspace_key', '=', viewer.workspace.key)
    .where('c.id', '=', id)
    .where(channelIsOpen('c', viewerKeysOf(viewer)))
    .select(['c.key', 'c.id'])
    .executeTakeFirst()
  return channel && { type: 'channel', ...channel, channel_key: channel.key, activity_revision: 0 }
}
