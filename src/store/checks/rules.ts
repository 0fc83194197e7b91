import type { Rule } from '../changes/dependant-rules'

/** What must be true of the rows besides the counters, and besides what hangs on a record: see `dependants`. */
export const rules: readonly Rule[] = [
  {
    query: `SELECT id, '' AS more FROM channels
      WHERE is_listed <> CASE WHEN is_private = 0 AND archived_at IS NULL THEN 1 ELSE 0 END`,
    message: (id) => `Channel ${id} is listed though it is private or archived, or the other way round`,
  },
  {
    query: `SELECT p.id AS id, c.id AS more FROM posts p JOIN channels c ON c.key = p.channel_key
      WHERE (p.is_listed <> c.is_listed AND (c.relisting_at IS NULL OR p.published_at <= c.relisting_at))
        OR p.workspace_key <> c.workspace_key`,
    message: (id, channel) =>
      `Post ${id} does not agree with its channel ${channel} on being listed, or on the workspace`,
  },
  {
    query: `SELECT a.id AS id, c.id AS more FROM author_posts n
      JOIN authors a ON a.key = n.author_key JOIN channels c ON c.key = n.channel_key
      LEFT JOIN (SELECT author_key, channel_key, count(*) AS posts, sum(is_resolved) AS resolved
        FROM posts GROUP BY author_key, channel_key) p ON p.author_key = n.author_key AND p.channel_key = n.channel_key
      WHERE n.posts_count <> coalesce(p.posts, 0) OR n.resolved_count <> coalesce(p.resolved, 0)
        OR n.workspace_key <> c.workspace_key`,
    message: (id, channel) => `The number of posts of ${id} in the channel ${channel} is wrong`,
  },
  {
    query: `SELECT p.id AS id, '' AS more FROM posts p LEFT JOIN author_posts n
      ON n.author_key = p.author_key AND n.channel_key = p.channel_key WHERE n.author_key IS NULL`,
    message: (id) => `Post ${id} is not counted for its author`,
  },
  {
    query: `SELECT id, '' AS more FROM posts
      WHERE is_resolved <> CASE WHEN resolved_at IS NULL THEN 0 ELSE 1 END
      OR (resolved_html IS NULL) <> (resolved_markdown IS NULL)
      OR (resolved_at IS NULL AND (resolved_by_key <> 0 OR resolved_comment_key <> 0 OR resolved_html IS NOT NULL))`,
    message: (id) => `Post ${id} is half resolved`,
  },
  {
    query: `SELECT p.id AS id, '' AS more FROM posts p LEFT JOIN post_activity n ON n.post_key = p.key WHERE n.post_key IS NULL`,
    message: (id) => `Post ${id} has no activity, and is in no list`,
  },
  {
    query: `SELECT t.id AS id, a.id AS more FROM thread_members tm
      JOIN threads t ON t.key = tm.thread_key JOIN authors a ON a.key = tm.author_key
      WHERE tm.last_activity_at <> t.last_activity_at OR tm.thread_id <> t.id OR tm.workspace_key <> t.workspace_key`,
    message: (id, author) => `Thread ${id} was last active at another time in the list of ${author}`,
  },
  {
    query: `SELECT c.id AS id, a.id AS more FROM channel_members cm
      JOIN channels c ON c.key = cm.channel_key JOIN authors a ON a.key = cm.author_key
      WHERE cm.author_id <> a.id OR cm.workspace_key <> c.workspace_key OR cm.workspace_key <> a.workspace_key`,
    message: (id, author) => `Channel ${id} has ${author} in it under another id or workspace`,
  },
  {
    query: `SELECT g.id AS id, a.id AS more FROM group_members gm
      JOIN groups g ON g.key = gm.group_key JOIN authors a ON a.key = gm.author_key
      WHERE gm.author_id <> a.id OR a.type <> 'member' OR gm.workspace_key <> g.workspace_key
        OR gm.workspace_key <> a.workspace_key`,
    message: (id, author) => `Group ${id} has ${author} in it, who is no member of its workspace or has another id`,
  },
  {
    query: `SELECT a.id AS id, t.id AS more FROM tokens t JOIN authors a ON a.key = t.author_key
      LEFT JOIN apps ON apps.author_key = a.key WHERE a.type = 'app' AND apps.author_key IS NULL`,
    message: (id, token) => `The app ${id} is gone, but not its token ${token}`,
  },
  ...['tokens', 'sessions', 'sign_in_links', 'password_workspaces'].map((table) => ({
    query: `SELECT DISTINCT m.id AS id, '${table}' AS more FROM ${table} t
      JOIN members m ON m.author_key = t.author_key WHERE m.is_deactivated = 1`,
    message: (id: string, more: string) => `The member ${id} is deactivated, but has ${more}`,
  })),
  {
    query: `SELECT m.id AS id, l.id AS more FROM invite_links l JOIN members m ON m.author_key = l.created_by_key
      WHERE m.is_deactivated = 1 OR m.role <> 'admin' OR m.workspace_key <> l.workspace_key`,
    message: (id, link) => `The member ${id} is no active admin, but has the invite link ${link}`,
  },
  {
    query: `SELECT u.id AS id, '' AS more FROM password_workspaces o JOIN users u ON u.key = o.user_key
      LEFT JOIN passwords p ON p.user_key = o.user_key
      LEFT JOIN members m ON m.author_key = o.author_key AND m.user_key = o.user_key AND m.workspace_key = o.workspace_key
      WHERE p.user_key IS NULL OR m.author_key IS NULL`,
    message: (id) => `Workspaces are open to a password of ${id} that is not there, or as somebody else`,
  },
]
