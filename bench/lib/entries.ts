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
  /** Copies the row of the last post, with other values for some columns. Those that the database computes are not listed. */
  const copy = (table: string, key: string, values: Record<string, string>) => {
    const columns = (db.query(`PRAGMA table_info(${table})`).all() as { name: string }[]).map(({ name }) => name)
    db.query(`${NUMBERS} INSERT INTO ${table} (${columns}) SELECT ${columns.map((name) => values[name] ?? `p.${name}`)}
      FROM n JOIN ${table} p ON p.${key} = ${first}`).run(count)
  }
  const id = "'post_' || printf('%026d', number)"
  db.transaction(() => {
    copy('posts', 'key', { key: `${first} + number`, id })
    copy('post_activity', 'post_key', { post_key: `${first} + number`, post_id: id, activity_revision: 'number' })
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
  db.query(`INSERT OR REPLACE INTO inbox_entries (author_key, about, kind, subject_key, workspace_key, channel_key,
      id, revision, at, reason, actor_key, item_key)
    SELECT m.author_key, 'activity', 1, p.key, p.workspace_key, p.channel_key, 'inb_' || printf('%026d', m.author_key), 1,
      p.published_at, 'post', p.author_key, 0
    FROM posts p JOIN members m ON m.workspace_key = p.workspace_key WHERE p.id = ? LIMIT ?`).run(postId, count)
}
