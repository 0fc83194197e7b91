import { attentionNumbers } from '../../domain/references'

/** Up to which revision a member `m` has read what the row `a` is about; see `readUpTo`. */
const READ_UP_TO = `CASE WHEN a.is_marked_unread = 1
    OR (a.read_revision >= m.read_revision AND a.read_revision >= coalesce(place.read_revision, 0)) THEN a.read_revision
  WHEN m.read_revision >= coalesce(place.read_revision, 0) THEN m.read_revision ELSE place.read_revision END`

/** Channels are left out: to read that one was added to a channel does not read the channel. */
const ENTRIES = `attention a JOIN members m ON m.author_key = a.author_key
  LEFT JOIN attention place ON place.author_key = a.author_key
    AND place.subject_type = ${attentionNumbers.channel} AND place.subject_key = a.channel_key
  WHERE a.entry_id IS NOT NULL AND a.subject_type <> ${attentionNumbers.channel}`

/** What is stored twice of what members have read, follow and hear of. `id` and `more` as in the rules of recount.ts. */
export const attentionRules = [
  {
    query: `SELECT p.id AS id, '' AS more FROM posts p LEFT JOIN (SELECT post_key, max(revision) AS revision FROM comments
        WHERE is_deleted = 0 GROUP BY post_key) latest ON latest.post_key = p.key
      WHERE p.activity_revision <> CASE WHEN coalesce(latest.revision, 0) > p.own_revision
        THEN latest.revision ELSE p.own_revision END`,
    says: (id: string) => `The revision of the latest activity of post ${id} is not that of what happened to it last`,
  },
  {
    query: `SELECT t.id AS id, '' AS more FROM threads t JOIN (SELECT thread_key, max(revision) AS revision FROM messages
        GROUP BY thread_key) latest ON latest.thread_key = t.key
      WHERE t.activity_revision <> latest.revision`,
    says: (id: string) => `The revision of the latest activity of thread ${id} is not that of its last message`,
  },
  ...(['post', 'thread', 'channel'] as const).map((type) => ({
    query: `SELECT m.id AS id, count(*) AS more FROM attention a JOIN authors m ON m.key = a.author_key
      LEFT JOIN ${type}s s ON s.key = a.subject_key AND s.workspace_key = a.workspace_key
        AND ${{ post: 's.channel_key', thread: '0', channel: 's.key' }[type]} = a.channel_key
      WHERE a.subject_type = ${attentionNumbers[type]} AND s.key IS NULL GROUP BY m.id`,
    says: (id: string, rows: string) => `${id} has read or follows ${rows} ${type}s that are gone or elsewhere`,
  })),
  {
    query: `SELECT m.id AS id, a.entry_id AS more FROM ${ENTRIES} AND a.read_at IS NOT NULL AND a.reason <> 'reaction'
      AND ${READ_UP_TO} < a.entry_revision`,
    says: (id: string, entry: string) => `The entry ${entry} of ${id} is read, but not what it is about`,
  },
  {
    query: `SELECT m.id AS id, a.entry_id AS more FROM ${ENTRIES}
      AND (a.reason = 'reaction') <> (a.before_reactions IS NOT NULL)`,
    says: (id: string, entry: string) => `The entry ${entry} of ${id} does not know what was there before a reaction`,
  },
  {
    // A mention that was added later stays unread, although the channel is read up to a later revision.
    query: `SELECT m.id AS id, a.entry_id AS more FROM ${ENTRIES} AND a.read_at IS NULL AND a.is_marked_unread = 0
      AND (a.read_revision >= a.entry_revision OR m.read_revision >= a.entry_revision)`,
    says: (id: string, entry: string) => `The entry ${entry} of ${id} is unread, but what it is about was read`,
  },
]
