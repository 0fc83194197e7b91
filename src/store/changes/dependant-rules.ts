import { attentionNumbers, fileHolderNumbers, kindNumbers } from '../../domain/references'
import { entryIsUnreadText, readUpToText } from '../attention/reads'

/** Something that must be true of the rows. */
export interface Rule {
  /** Finds the rows that break it: `id`, and `more` to say about it. */
  query: string
  message(id: string, more: string): string
}

/** The comment that a post is resolved with. */
export const resolvedCommentRules: readonly Rule[] = [
  {
    query: `SELECT p.id AS id, '' AS more FROM posts p LEFT JOIN comments c
      ON c.key = p.resolved_comment_key AND c.post_key = p.key AND c.is_deleted = 0
      WHERE p.resolved_comment_key <> 0 AND c.key IS NULL`,
    message: (id) => `Post ${id} is resolved by a comment it does not have`,
  },
]

export const commentRules: readonly Rule[] = [
  {
    query: `SELECT m.id AS id, '' AS more FROM comments m LEFT JOIN posts p
      ON p.key = m.post_key AND p.workspace_key = m.workspace_key WHERE p.key IS NULL`,
    message: (id) => `Comment ${id} has no post`,
  },
  {
    query: `SELECT m.id AS id, '' AS more FROM comments m LEFT JOIN comments parent
      ON parent.key = m.parent_key AND parent.post_key = m.post_key AND parent.parent_key = 0
      WHERE m.parent_key <> 0 AND parent.key IS NULL`,
    message: (id) => `Comment ${id} replies to no comment of its post's top level`,
  },
  {
    query: `SELECT id, markdown AS more FROM comments
      WHERE is_deleted = 1 AND (replies_count = 0 OR markdown <> '' OR content <> '')`,
    message: (id) => `Comment ${id} is deleted, yet still there with nobody's replies, or with its words`,
  },
  {
    query: `SELECT p.post_id AS id, '' AS more FROM post_activity p LEFT JOIN (SELECT post_key, max(revision) AS revision
        FROM comments WHERE is_deleted = 0 GROUP BY post_key) latest ON latest.post_key = p.post_key
      WHERE p.activity_revision <> CASE WHEN coalesce(latest.revision, 0) > p.own_revision
        THEN latest.revision ELSE p.own_revision END`,
    message: (id) => `The revision of the latest activity of post ${id} is not that of what happened to it last`,
  },
]

export const messageRules: readonly Rule[] = [
  {
    query: `SELECT m.id AS id, '' AS more FROM messages m LEFT JOIN messages parent
      ON parent.key = m.parent_key AND parent.thread_key = m.thread_key
      WHERE m.parent_key <> 0 AND parent.key IS NULL`,
    message: (id) => `Message ${id} answers no message of its thread`,
  },
  {
    query: `SELECT t.id AS id, '' AS more FROM threads t JOIN (SELECT thread_key, max(revision) AS revision FROM messages
        GROUP BY thread_key) latest ON latest.thread_key = t.key
      WHERE t.activity_revision <> latest.revision`,
    message: (id) => `The revision of the latest activity of thread ${id} is not that of its last message`,
  },
]

/** Rows that each belong to one post, and hold its id and these columns. */
export const postCopyRule = (table: string, columns: readonly string[]): Rule => ({
  query: `SELECT t.post_id AS id, '' AS more FROM ${table} t LEFT JOIN posts p ON p.key = t.post_key AND p.id = t.post_id
      ${columns.map((column) => `AND p.${column} = t.${column}`).join(' ')}
    WHERE p.key IS NULL`,
  message: (id) => `Post ${id} is not the same in ${table}, or is gone`,
})

const BY = 'subject_type, subject_key, emoji'

export const reactionCountRules: readonly Rule[] = [
  {
    query: `SELECT n.emoji AS id, n.reactions_count AS more FROM reaction_counts n
      LEFT JOIN (SELECT ${BY}, count(*) AS counted FROM reactions GROUP BY ${BY}) r
        ON r.subject_type = n.subject_type AND r.subject_key = n.subject_key AND r.emoji = n.emoji
      WHERE n.reactions_count <> coalesce(r.counted, 0)`,
    message: (id, more) => `${more} reactions with ${id} are counted, but there are others`,
  },
]

export const reactionRules: readonly Rule[] = [
  {
    query: `SELECT r.emoji AS id, '' AS more FROM reactions r LEFT JOIN reaction_counts n
      ON n.subject_type = r.subject_type AND n.subject_key = r.subject_key AND n.emoji = r.emoji WHERE n.emoji IS NULL`,
    message: (id) => `A reaction with ${id} is not counted`,
  },
  ...(['post', 'comment', 'message'] as const).map((type) => ({
    query: `SELECT r.emoji AS id, count(*) AS more FROM reactions r
      LEFT JOIN ${type}s s ON s.key = r.subject_key AND s.workspace_key = r.workspace_key
        ${type === 'comment' ? 'AND s.is_deleted = 0' : ''}
      WHERE r.subject_type = ${kindNumbers[type]} AND s.key IS NULL GROUP BY r.emoji`,
    message: (id: string, more: string) => `${more} reactions with ${id} are to ${type}s that are gone`,
  })),
]

/** The tables of the records that reference files, and the condition for a record that still exists. */
const records = [
  ['post', 'posts', '1 = 1'],
  ['resolution', 'posts', 's.resolved_markdown IS NOT NULL'],
  ['comment', 'comments', 's.is_deleted = 0'],
  ['message', 'messages', '1 = 1'],
] as const

const DRAFT = fileHolderNumbers.draft

export const fileReferenceRules: readonly Rule[] = [
  {
    query: `SELECT f.id AS id, '' AS more FROM file_places p JOIN files f ON f.key = p.file_key
      LEFT JOIN (SELECT file_key, channel_key, thread_key, count(*) AS counted FROM file_references
        GROUP BY file_key, channel_key, thread_key) r
      ON r.file_key = p.file_key AND r.channel_key = p.channel_key AND r.thread_key = p.thread_key
      WHERE p.references_count <> coalesce(r.counted, 0) OR p.file_id <> f.id OR p.workspace_key <> f.workspace_key`,
    message: (id) => `File ${id} is listed in a channel or thread with another number of references`,
  },
  {
    query: `SELECT f.id AS id, '' AS more FROM file_references r JOIN files f ON f.key = r.file_key
      LEFT JOIN file_places p ON p.file_key = r.file_key AND p.channel_key = r.channel_key AND p.thread_key = r.thread_key
      WHERE r.workspace_key <> f.workspace_key
      OR (r.subject_type <> ${DRAFT} AND (p.file_key IS NULL OR f.is_shared = 0 OR r.owner_key <> 0))
      OR (r.subject_type = ${DRAFT} AND (r.owner_key = 0 OR r.channel_key <> 0 OR r.thread_key <> 0))`,
    message: (id) => `File ${id} is referenced, but not listed where it is`,
  },
  ...records.map(([type, table, isThere]) => ({
    query: `SELECT f.id AS id, '${type}' AS more FROM file_references r JOIN files f ON f.key = r.file_key
      LEFT JOIN ${table} s ON s.key = r.subject_key AND s.workspace_key = r.workspace_key AND ${isThere}
      WHERE r.subject_type = ${fileHolderNumbers[type]} AND s.key IS NULL`,
    message: (id: string, more: string) => `File ${id} is referenced by a ${more} that does not exist`,
  })),
]

/** Posts whose rows are still to be deleted are no mistake. */
const isNotRemoved = (row: string) => `NOT EXISTS (SELECT 1 FROM removed_subjects gone
  WHERE gone.kind = ${row}.kind AND gone.subject_key = ${row}.subject_key)`

/** Rows of members and posts, threads or channels, which have to be there, and in the channel that rows copy. */
export const subjectRules = (table: 'follows' | 'read_positions' | 'inbox_entries'): Rule[] =>
  (['post', 'thread', 'channel'] as const).map((type) => {
    const channels = {
      follows: undefined,
      read_positions: { post: 's.channel_key', thread: '0', channel: 's.key' },
      inbox_entries: { post: 's.channel_key', thread: '0', channel: '0' },
    }[table]
    return {
      query: `SELECT m.id AS id, count(*) AS more FROM ${table} a JOIN authors m ON m.key = a.author_key
        LEFT JOIN ${type}s s ON s.key = a.subject_key AND s.workspace_key = m.workspace_key
          ${channels ? `AND ${channels[type]} = a.channel_key` : ''}
        WHERE a.kind = ${attentionNumbers[type]} AND s.key IS NULL AND ${isNotRemoved('a')} GROUP BY m.id`,
      message: (id, rows) => `${id} has ${rows} rows in ${table} of ${type}s that are gone or elsewhere`,
    }
  })

const ENTRIES = `inbox_entries e JOIN members m ON m.author_key = e.author_key
  LEFT JOIN read_positions own ON own.kind = e.kind AND own.subject_key = e.subject_key AND own.author_key = e.author_key
  LEFT JOIN read_positions place ON place.kind = ${attentionNumbers.channel} AND place.subject_key = e.channel_key
    AND place.author_key = e.author_key`

export const inboxRules: readonly Rule[] = [
  ...subjectRules('inbox_entries'),
  {
    query: `SELECT m.id AS id, e.id AS more FROM inbox_entries e JOIN authors m ON m.key = e.author_key
      WHERE e.workspace_key <> m.workspace_key OR (e.is_read = 1 AND e.is_marked_unread = 1)`,
    message: (id, entry) => `The entry ${entry} of ${id} is of another workspace, or both read and marked as unread`,
  },
  {
    // Reactions, and that one was added to a channel, are read by themselves. What was marked as unread is so by itself.
    query: `SELECT m.id AS id, e.id AS more FROM ${ENTRIES}
      WHERE e.kind <> ${attentionNumbers.channel} AND e.about <> 'reaction' AND e.is_marked_unread = 0
        AND coalesce(own.is_marked_unread, 0) = 0 AND ${entryIsUnreadText('e', 'place', 'm')}
        AND e.revision <= ${readUpToText('own', 'place', 'm')}`,
    message: (id, entry) => `The entry ${entry} of ${id} is unread, but what it is about was read`,
  },
]
