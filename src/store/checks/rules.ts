import { kindNumbers } from '../../domain/references'
import type { SqlSyntax } from '../engines/syntax'

const BY = 'subject_type, subject_key, emoji'

/** The redundant data of reactions. `id` and `more` are as in the rules of recount.ts. */
const reactionRules = [
  {
    query: `SELECT n.emoji AS id, n.reactions_count AS more FROM reaction_counts n
      LEFT JOIN (SELECT ${BY}, count(*) AS counted FROM reactions GROUP BY ${BY}) r
        ON r.subject_type = n.subject_type AND r.subject_key = n.subject_key AND r.emoji = n.emoji
      WHERE n.reactions_count <> coalesce(r.counted, 0)`,
    says: (id: string, more: string) => `${more} reactions with ${id} are counted, but there are others`,
  },
  {
    query: `SELECT r.emoji AS id, '' AS more FROM reactions r LEFT JOIN reaction_counts n
      ON n.subject_type = r.subject_type AND n.subject_key = r.subject_key AND n.emoji = r.emoji WHERE n.emoji IS NULL`,
    says: (id: string) => `A reaction with ${id} is not counted`,
  },
  ...(['post', 'comment', 'message'] as const).map((type) => ({
    query: `SELECT r.emoji AS id, count(*) AS more FROM reactions r
      LEFT JOIN ${type}s s ON s.key = r.subject_key AND s.workspace_key = r.workspace_key
        ${type === 'comment' ? 'AND s.is_deleted = 0' : ''}
      WHERE r.subject_type = ${kindNumbers[type]} AND s.key IS NULL GROUP BY r.emoji`,
    says: (id: string, more: string) => `${more} reactions with ${id} are to ${type}s that are gone`,
  })),
]

export interface Rule {
  /** Finds the rows that break it: `id`, and `more` to say about it. */
  query: string
  says(id: string, more: string): string
}

/** What must be true of the rows besides the counters. */
export const rules: readonly Rule[] = [
  ...reactionRules,
  {
    query: `SELECT id, '' AS more FROM channels
      WHERE is_listed <> CASE WHEN is_private = 0 AND archived_at IS NULL THEN 1 ELSE 0 END`,
    says: (id) => `Channel ${id} is listed though it is private or archived, or the other way round`,
  },
  {
    query: `SELECT p.id AS id, c.id AS more FROM posts p JOIN channels c ON c.key = p.channel_key
      WHERE (p.is_listed <> c.is_listed AND (c.relisting_at IS NULL OR p.published_at <= c.relisting_at))
        OR p.workspace_key <> c.workspace_key`,
    says: (id, channel) => `Post ${id} does not agree with its channel ${channel} on being listed, or on the workspace`,
  },
  {
    query: `SELECT a.id AS id, c.id AS more FROM author_posts n
      JOIN authors a ON a.key = n.author_key JOIN channels c ON c.key = n.channel_key
      LEFT JOIN (SELECT author_key, channel_key, count(*) AS posts, sum(is_resolved) AS resolved
        FROM posts GROUP BY author_key, channel_key) p ON p.author_key = n.author_key AND p.channel_key = n.channel_key
      WHERE n.posts_count <> coalesce(p.posts, 0) OR n.resolved_count <> coalesce(p.resolved, 0)
        OR n.workspace_key <> c.workspace_key`,
    says: (id, channel) => `The number of posts of ${id} in the channel ${channel} is wrong`,
  },
  {
    query: `SELECT p.id AS id, '' AS more FROM posts p LEFT JOIN author_posts n
      ON n.author_key = p.author_key AND n.channel_key = p.channel_key WHERE n.author_key IS NULL`,
    says: (id) => `Post ${id} is not counted for its author`,
  },
  {
    query: `SELECT id, '' AS more FROM posts
      WHERE is_resolved <> CASE WHEN resolution IS NULL THEN 0 ELSE 1 END
      OR (resolution IS NULL AND (resolved_by_key <> 0 OR resolved_comment_key <> 0 OR resolved_markdown IS NOT NULL))`,
    says: (id) => `Post ${id} is half resolved`,
  },
  {
    query: `SELECT p.id AS id, '' AS more FROM posts p LEFT JOIN comments c
      ON c.key = p.resolved_comment_key AND c.post_key = p.key AND c.is_deleted = 0
      WHERE p.resolved_comment_key <> 0 AND c.key IS NULL`,
    says: (id) => `Post ${id} is resolved by a comment it does not have`,
  },
  {
    query: `SELECT m.id AS id, '' AS more FROM comments m LEFT JOIN posts p
      ON p.key = m.post_key AND p.workspace_key = m.workspace_key WHERE p.key IS NULL`,
    says: (id) => `Comment ${id} has no post`,
  },
  {
    query: `SELECT m.id AS id, '' AS more FROM comments m LEFT JOIN comments parent
      ON parent.key = m.parent_key AND parent.post_key = m.post_key AND parent.parent_key = 0
      WHERE m.parent_key <> 0 AND parent.key IS NULL`,
    says: (id) => `Comment ${id} replies to no comment of its post's top level`,
  },
  {
    query: "SELECT id, markdown AS more FROM comments WHERE is_deleted = 1 AND (replies_count = 0 OR markdown <> '')",
    says: (id) => `Comment ${id} is deleted, yet still there with nobody's replies, or with its words`,
  },
  {
    query: `SELECT m.id AS id, '' AS more FROM messages m LEFT JOIN messages parent
      ON parent.key = m.parent_key AND parent.thread_key = m.thread_key
      WHERE m.parent_key <> 0 AND parent.key IS NULL`,
    says: (id) => `Message ${id} answers no message of its thread`,
  },
  {
    query: `SELECT t.id AS id, a.id AS more FROM thread_members tm
      JOIN threads t ON t.key = tm.thread_key JOIN authors a ON a.key = tm.author_key
      WHERE tm.last_activity_at <> t.last_activity_at OR tm.thread_id <> t.id OR tm.workspace_key <> t.workspace_key`,
    says: (id, author) => `Thread ${id} was last active at another time in the list of ${author}`,
  },
  {
    query: `SELECT c.id AS id, a.id AS more FROM channel_members cm
      JOIN channels c ON c.key = cm.channel_key JOIN authors a ON a.key = cm.author_key
      WHERE cm.author_id <> a.id OR cm.workspace_key <> c.workspace_key OR cm.workspace_key <> a.workspace_key`,
    says: (id, author) => `Channel ${id} has ${author} in it under another id or workspace`,
  },
  ...(['pins', 'saved_posts'] as const).map((table) => ({
    query: `SELECT t.post_id AS id, '${table}' AS more FROM ${table} t LEFT JOIN posts p ON p.key = t.post_key
        AND p.id = t.post_id AND p.workspace_key = t.workspace_key ${table === 'pins' ? 'AND p.channel_key = t.channel_key' : ''}
      WHERE p.key IS NULL`,
    says: (id: string, more: string) => `Post ${id} has another id, workspace or channel in ${more}, or is gone`,
  })),
  {
    query: `SELECT a.id AS id, t.id AS more FROM tokens t JOIN authors a ON a.key = t.author_key
      LEFT JOIN apps ON apps.author_key = a.key WHERE a.type = 'app' AND apps.author_key IS NULL`,
    says: (id, token) => `The app ${id} is gone, but not its token ${token}`,
  },
  ...['tokens', 'sessions', 'sign_in_links', 'password_workspaces'].map((table) => ({
    query: `SELECT DISTINCT m.id AS id, '${table}' AS more FROM ${table} t
      JOIN members m ON m.author_key = t.author_key WHERE m.is_deactivated = 1`,
    says: (id: string, more: string) => `The member ${id} is deactivated, but has ${more}`,
  })),
  {
    query: `SELECT u.id AS id, '' AS more FROM password_workspaces o JOIN users u ON u.key = o.user_key
      LEFT JOIN passwords p ON p.user_key = o.user_key
      LEFT JOIN members m ON m.author_key = o.author_key AND m.user_key = o.user_key AND m.workspace_key = o.workspace_key
      WHERE p.user_key IS NULL OR m.author_key IS NULL`,
    says: (id) => `Workspaces are open to a password of ${id} that is not there, or as somebody else`,
  },
]

/** The JSON that is stored with rows says what their columns say. */
export function storedJson({ quoteJson, isoTime }: SqlSyntax): Rule[] {
  const rule = (table: string, wrong: string): Rule => ({
    query: `SELECT t.id AS id, '' AS more FROM ${table} AS t WHERE ${wrong}`,
    says: (id) => `The stored JSON of ${id} does not agree with its columns`,
  })
  const name = quoteJson('t.name')
  const startsWithId = `substr(t.fields, 1, length(t.id) + 8) <> '"id":"' || t.id || '",'`
  return [
    rule('authors', `t.fields <> '"name":' || ${name} || ',"id":"' || t.id || '","type":"' || t.type || '"'`),
    rule('channels', `t.fields <> '"id":"' || t.id || '","name":' || ${name}`),
    rule('members', `t.fields <> '"id":"' || t.id || '","created_at":"' || ${isoTime('t.created_at')} || '"'`),
    rule('posts', startsWithId),
    rule(
      'posts',
      `t.activity <> '"last_activity_at":"' || ${isoTime('t.last_activity_at')} || '","comments_count":' || t.comments_count`,
    ),
    rule('comments', startsWithId),
    rule('messages', startsWithId),
  ]
}
