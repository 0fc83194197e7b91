import { sql } from 'kysely'
import type { InboxReason } from '../../contract/inbox'
import type { Viewer } from '../../domain/permissions'
import { attentionNumbers } from '../../domain/references'
import { canSeeChannel, viewerKeysOf } from '../access/visibility'
import type { Reader } from '../engines/db'

/** What an entry of the inbox says, to someone who does not look at it. */
export interface UnreadEntry {
  entry_id: string
  entry_revision: number
  reason: InboxReason
  subject_type: number
  subject_id: string
  actor_name: string | null
  actor_type: 'app' | 'member' | null
  channel_name: string | null
  thread_title: string | null
  post_title: string | null
  /** The comment or message that it is about. */
  item_id: string | null
  /** What was written: in the comment or message, the post, or the note of its resolution. */
  item_html: string | null
  post_html: string | null
  note_html: string | null
}

interface Revisions {
  after: number
  upTo?: number
}

/** The newest entries after a revision that are still unread, and about what the viewer may see at this moment. */
export async function listUnreadEntries(
  db: Reader,
  viewer: Viewer,
  { after, upTo = Number.MAX_SAFE_INTEGER }: Revisions,
  limit: number,
): Promise<UnreadEntry[]> {
  const keys = viewerKeysOf(viewer)
  const isIn = sql<boolean>`EXISTS (SELECT 1 FROM thread_members AS tm WHERE tm.thread_key = t.key AND tm.author_key = ${keys.me})`
  const entries = await db
    .selectFrom('attention as e')
    .leftJoin('posts as p', (join) =>
      join.onRef('p.key', '=', 'e.subject_key').on('e.subject_type', '=', attentionNumbers.post),
    )
    .leftJoin('threads as t', (join) =>
      join.onRef('t.key', '=', 'e.subject_key').on('e.subject_type', '=', attentionNumbers.thread),
    )
    .leftJoin('channels as c', 'c.key', 'e.channel_key')
    .leftJoin('comments as m', (join) =>
      join.onRef('m.key', '=', 'e.item_key').onRef('m.post_key', '=', 'p.key').on('m.is_deleted', '=', false),
    )
    .leftJoin('messages as g', (join) => join.onRef('g.key', '=', 'e.item_key').onRef('g.thread_key', '=', 't.key'))
    .leftJoin('authors as a', 'a.key', 'e.actor_key')
    .where('e.author_key', '=', keys.me)
    .where('e.entry_id', 'is not', null)
    .where('e.archived_at', 'is', null)
    .where('e.read_at', 'is', null)
    .where('e.entry_revision', '>', after)
    .where('e.entry_revision', '<=', upTo)
    .where(sql<boolean>`CASE e.subject_type WHEN ${sql.lit(attentionNumbers.thread)} THEN ${isIn}
      WHEN ${sql.lit(attentionNumbers.post)} THEN p.key IS NOT NULL AND ${canSeeChannel('c', keys)}
      ELSE ${canSeeChannel('c', keys)} END`)
    .select(['e.entry_id', 'e.entry_revision', 'e.reason', 'e.subject_type'])
    .select((eb) => eb.fn.coalesce('p.id', 't.id', 'c.id').as('subject_id'))
    .select([
      'a.name as actor_name',
      'a.type as actor_type',
      'c.name as channel_name',
      't.title as thread_title',
      'p.title as post_title',
      'p.content as post_html',
      'p.resolved_html as note_html',
    ])
    .select((eb) => [
      eb.fn.coalesce('m.id', 'g.id').as('item_id'),
      eb.fn.coalesce('m.content', 'g.content').as('item_html'),
    ])
    .orderBy('e.entry_revision', 'desc')
    .limit(limit)
    .execute()
  return entries as UnreadEntry[]
}
