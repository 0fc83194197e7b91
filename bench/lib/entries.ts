import { Database } from 'bun:sqlite'
import type { Dataset } from './dataset'
import { serverEnv } from './settings'

/** Numbers from 1 to the parameter. */
const NUMBERS = 'WITH RECURSIVE n (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM n WHERE number < ?)'

const open = ({ url }: Pick<Dataset, 'url'>) => new Database(url.slice('sqlite:'.length))

/** Gives the member of a dataset so many unread entries, each about a post of its own. */
export function addEntries(data: Dataset, count: number) {
  using db = open(data)
  const { author_key, workspace_key } = db
    .query('SELECT m.author_key, m.workspace_key FROM members m JOIN users u ON u.key = m.user_key WHERE u.email = ?')
    .get(serverEnv.ADMIN_EMAIL) as { author_key: number; workspace_key: number }
  const { first } = db.query('SELECT max(key) AS first FROM posts').get() as { first: number }
  const columns = (db.query('PRAGMA table_info(posts)').all() as { name: string }[]).map(({ name }) => name)
  const copied: Record<string, string> = {
    key: '? + number',
    id: "'post_' || printf('%026d', number)",
    activity_revision: 'number',
  }
  db.transaction(() => {
    db.query(`${NUMBERS} INSERT INTO posts (${columns}) SELECT ${columns.map((name) => copied[name] ?? `p.${name}`)}
      FROM n JOIN posts p ON p.key = (SELECT max(key) FROM posts)`).run(count, first)
    db.query(`${NUMBERS} INSERT INTO inbox_entries (author_key, about, kind, subject_key, workspace_key, channel_key,
        id, revision, at, reason, actor_key, item_key)
      SELECT ?, 'activity', 1, ? + number, ?, p.channel_key, 'inb_' || printf('%026d', number), number, p.published_at,
        'post', p.author_key, 0
      FROM n JOIN posts p ON p.key = ?`).run(count, author_key, first, workspace_key, first)
  })()
}

/** Has so many members follow a post. */
export function addFollowers(data: Dataset, postId: string, count: number) {
  using db = open(data)
  db.query(`INSERT OR REPLACE INTO follows (author_key, kind, subject_key, level) SELECT m.author_key, 1, p.key, 2 FROM posts p JOIN members m ON m.workspace_key = p.workspace_key
    WHERE p.id = ? LIMIT ?`).run(postId, count)
}

/** Puts a post into the inboxes of so many members. */
export function addToInboxes(data: Dataset, postId: string, count: number) {
  using db = open(data)
  db.query(`INSERT OR REPLACE INTO attention (author_key, subject_type, subject_key, workspace_key, channel_key,
      entry_id, entry_revision, entry_at, reason, actor_key, item_key)
    SELECT m.author_key, 1, p.key, p.workspace_key, p.channel_key, 'inb_' || printf('%026d', m.author_key), 1, p.published_at, 'post', p.author_key, 0
    FROM posts p JOIN members m ON m.workspace_key = p.workspace_key WHERE p.id = ? LIMIT ?`).run(postId, count)
}
