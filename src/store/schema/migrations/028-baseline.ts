import { type Kysely, sql } from 'kysely'
import { searchIndexOf } from '../../engines/search'
import type { SqlSyntax } from '../../engines/syntax'

/** The tables of version 0.2.0, with which every database begins. */
export async function up(db: Kysely<never>, syntax: SqlSyntax) {
  for (const statement of statements(syntax)) await sql.raw(statement).execute(db)
  const index = searchIndexOf({ syntax })
  await index.create(db)
  const secret = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')
  await sql`INSERT INTO search_state
    (id, is_built, next_post, next_comment, next_message, last_key, remaining, is_purge_due, secret)
    VALUES (1, 1, 0, 0, 0, ${await index.leaveRoom(db, 0)}, 0, 0, ${secret})`.execute(db)
}

const statements = ({ key, int, text, bytes }: SqlSyntax) => [
  `CREATE TABLE workspaces (
    key ${key}, id ${text} not null unique, slug ${text} not null unique, name text not null,
    revision ${int} not null default 0, names_revision ${int} not null default 0, created_at ${int} not null,
    admins_count ${int} not null default 0, members_count ${int} not null default 0,
    viewers_count ${int} not null default 0, guests_count ${int} not null default 0,
    apps_count ${int} not null default 0, nonce ${int} not null default 0,
    pruned_revision ${int} not null default 0, pruned_nonce ${int} not null default 0, icon text,
    is_set_up ${int} not null default 0, updated_at ${int} not null default 0,
    files_bytes ${int} not null default 0)`,
  `CREATE TABLE users (
    key ${key}, id ${text} not null unique, email ${text} not null unique, created_at ${int} not null)`,
  `CREATE TABLE authors (
    key ${key}, workspace_key ${int} not null references workspaces (key), id ${text} not null,
    type text not null, name text not null, avatar text not null, threads_count ${int} not null default 0,
    tokens_count ${int} not null default 0, fields text not null default '')`,
  'CREATE UNIQUE INDEX authors_id ON authors (workspace_key, id)',
  `CREATE TABLE members (
    author_key ${int} primary key references authors (key), workspace_key ${int} not null, id ${text} not null,
    user_key ${int} not null references users (key), role ${text} not null,
    is_deactivated ${int} not null default 0, created_at ${int} not null, last_seen_at ${int} not null,
    search_text ${text} not null, fields text not null default '', user_fields text not null default '',
    read_revision ${int} not null default 0, job_title text, time_zone text,
    preferences ${text} not null default '{}', draft_version ${int} not null default 0,
    user_id ${text} not null default '')`,
  'CREATE UNIQUE INDEX members_user ON members (workspace_key, user_key)',
  'CREATE INDEX members_by_created_at ON members (workspace_key, role, created_at, id)',
  'CREATE INDEX members_by_last_seen_at ON members (workspace_key, role, last_seen_at, id)',
  `CREATE TABLE apps (
    author_key ${int} primary key references authors (key), workspace_key ${int} not null, id ${text} not null,
    name_fold ${text} not null, created_at ${int} not null, updated_at ${int} not null default 0)`,
  'CREATE UNIQUE INDEX apps_name ON apps (workspace_key, name_fold)',
  'CREATE INDEX apps_by_created_at ON apps (workspace_key, created_at, id)',
  `CREATE TABLE tokens (
    key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
    author_key ${int} not null references authors (key), kind ${text} not null, hash ${text} not null unique,
    name text not null, scopes text not null, created_at ${int} not null, expires_at ${int}, last_used_at ${int},
    session_key ${int} not null default 0)`,
  'CREATE UNIQUE INDEX tokens_id ON tokens (workspace_key, id)',
  'CREATE INDEX tokens_by_created_at ON tokens (workspace_key, author_key, kind, created_at, id)',
  `CREATE TABLE channels (
    key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
    name ${text} not null, name_fold ${text} not null, is_private ${int} not null default 0, archived_at ${int},
    is_listed ${int} not null default 0, created_at ${int} not null, posts_count ${int} not null default 0,
    resolved_count ${int} not null default 0, members_count ${int} not null default 0,
    fields text not null default '', description text not null default '', updated_at ${int} not null default 0,
    files_count ${int} not null default 0, relisting_at ${int})`,
  'CREATE UNIQUE INDEX channels_id ON channels (workspace_key, id)',
  'CREATE UNIQUE INDEX channels_name ON channels (workspace_key, name_fold)',
  'CREATE INDEX channels_by_created_at ON channels (workspace_key, is_listed, created_at, id)',
  'CREATE INDEX channels_by_name ON channels (workspace_key, is_listed, name_fold, id)',
  'CREATE INDEX channels_relisting ON channels (workspace_key) WHERE relisting_at IS NOT NULL',
  `CREATE TABLE channel_members (
    workspace_key ${int} not null, channel_key ${int} not null references channels (key),
    author_key ${int} not null references authors (key), author_id ${text} not null, created_at ${int} not null,
    primary key (channel_key, author_key))`,
  'CREATE INDEX channel_members_by_created_at ON channel_members (workspace_key, channel_key, created_at, author_id)',
  'CREATE INDEX channel_members_of_author ON channel_members (workspace_key, author_key, channel_key)',
  `CREATE TABLE threads (
    key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
    author_key ${int} not null references authors (key), title text not null, direct_pair ${text},
    created_at ${int} not null, last_activity_at ${int} not null, messages_count ${int} not null default 0,
    activity_revision ${int} not null default 0, updated_at ${int} not null default 0, last_message_at ${int},
    files_count ${int} not null default 0)`,
  'CREATE UNIQUE INDEX threads_id ON threads (workspace_key, id)',
  'CREATE UNIQUE INDEX threads_direct ON threads (workspace_key, direct_pair)',
  `CREATE TABLE thread_members (
    workspace_key ${int} not null, thread_key ${int} not null references threads (key),
    author_key ${int} not null references authors (key), thread_id ${text} not null,
    last_activity_at ${int} not null, primary key (thread_key, author_key))`,
  'CREATE INDEX thread_members_of_author ON thread_members (workspace_key, author_key, last_activity_at, thread_id)',
  `CREATE TABLE events (
    workspace_key ${int} not null references workspaces (key), revision ${int} not null, type ${text} not null,
    actor_key ${int} not null, channel_key ${int} not null default 0, thread_key ${int} not null default 0,
    created_at ${int} not null, data text not null, nonce ${int} not null default 0,
    subject_id ${text} not null default '', is_redacted ${int} not null default 0,
    recipients text not null default '', mentioned text not null default '', via text,
    primary key (workspace_key, revision))`,
  `CREATE INDEX events_of_subject ON events (workspace_key, subject_id) WHERE subject_id <> ''`,
  `CREATE INDEX events_of_members ON events (workspace_key, revision)
    WHERE type IN ('member.created', 'member.updated', 'member.deactivated', 'member.reactivated', 'workspace.seeded')`,
  `CREATE TABLE idempotency_keys (
    workspace_key ${int} not null, author_key ${int} not null, key ${text} not null,
    request_hash ${text} not null, answer text, created_at ${int} not null,
    subject_id ${text} not null default '', primary key (workspace_key, author_key, key))`,
  'CREATE INDEX idempotency_keys_by_created_at ON idempotency_keys (created_at)',
  `CREATE INDEX idempotency_keys_of_subject ON idempotency_keys (workspace_key, subject_id) WHERE subject_id <> ''`,
  `CREATE TABLE webhooks (
    key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
    author_key ${int} not null references authors (key), url text not null, types text not null,
    is_enabled ${int} not null default 0, disabled_reason text, created_at ${int} not null, secret text not null,
    old_secret text, old_secret_until ${int} not null default 0, position ${int} not null, due_at ${int},
    failing_since ${int}, claimed_until ${int} not null default 0, deliveries_count ${int} not null default 0,
    delivered_count ${int} not null default 0, failed_count ${int} not null default 0,
    dropped_key ${int} not null default 0, updated_at ${int} not null default 0)`,
  'CREATE UNIQUE INDEX webhooks_id ON webhooks (workspace_key, id)',
  'CREATE INDEX webhooks_by_created_at ON webhooks (workspace_key, created_at, id)',
  'CREATE INDEX webhooks_due ON webhooks (due_at, claimed_until)',
  'CREATE INDEX webhooks_dropped ON webhooks (dropped_key)',
  `CREATE TABLE deliveries (
    key ${key}, id ${text} not null, workspace_key ${int} not null, webhook_key ${int} not null,
    event_id ${text} not null, event_type ${text} not null, status ${text} not null,
    attempts_count ${int} not null default 0, created_at ${int} not null, next_attempt_at ${int},
    revision ${int} not null default 0, attempts_before ${int} not null default 0, not_sent_reason text)`,
  'CREATE UNIQUE INDEX deliveries_id ON deliveries (workspace_key, id)',
  'CREATE INDEX deliveries_of_webhook ON deliveries (workspace_key, webhook_key, status, created_at, id)',
  'CREATE INDEX deliveries_of_event ON deliveries (workspace_key, revision)',
  'CREATE INDEX deliveries_due ON deliveries (webhook_key, next_attempt_at, key)',
  `CREATE TABLE delivery_attempts (
    delivery_key ${int} not null, attempted_at ${int} not null, duration_ms ${int} not null,
    response_status ${int}, response_body text, error text)`,
  'CREATE INDEX attempts_of_delivery ON delivery_attempts (delivery_key, attempted_at)',
  `CREATE TABLE sessions (
    key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
    author_key ${int} not null references authors (key), hash ${text} not null unique, name text not null,
    created_at ${int} not null, last_used_at ${int} not null, renewed_at ${int} not null,
    expires_at ${int} not null)`,
  'CREATE UNIQUE INDEX sessions_id ON sessions (workspace_key, id)',
  'CREATE INDEX sessions_by_created_at ON sessions (workspace_key, author_key, created_at, id)',
  `CREATE TABLE sign_in_attempts (
    subject ${text} primary key, attempts ${int} not null, started_at ${int} not null)`,
  `CREATE TABLE passwords (
    user_key ${int} primary key references users (key), hash text not null, changed_at ${int} not null)`,
  `CREATE TABLE password_workspaces (
    user_key ${int} not null references users (key), workspace_key ${int} not null references workspaces (key),
    author_key ${int} not null references authors (key), primary key (user_key, workspace_key))`,
  `CREATE TABLE sign_in_links (
    key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
    author_key ${int} not null unique references authors (key), hash ${text} not null unique,
    created_by_key ${int} not null default 0, created_at ${int} not null, expires_at ${int} not null)`,
  'CREATE UNIQUE INDEX sign_in_links_id ON sign_in_links (workspace_key, id)',
  'CREATE INDEX sign_in_links_by_created_at ON sign_in_links (workspace_key, created_at, id)',
  `CREATE TABLE secret_key (id ${int} primary key, fingerprint ${text} not null)`,
  `CREATE TABLE posts (
    key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
    channel_key ${int} not null references channels (key), author_key ${int} not null references authors (key),
    published_at ${int} not null, last_activity_at ${int} not null, comments_count ${int} not null default 0,
    root_comments_count ${int} not null default 0, is_listed ${int} not null default 0,
    is_resolved ${int} not null default 0, resolved_by_key ${int} not null default 0,
    resolved_comment_key ${int} not null default 0, activity text not null, fields text not null, resolution text,
    markdown text not null, resolved_markdown text, activity_revision ${int} not null default 0,
    own_revision ${int} not null default 0, edited_at ${int}, answer_deleted_at ${int}, via text,
    resolved_via text)`,
  'CREATE UNIQUE INDEX posts_id ON posts (workspace_key, id)',
  'CREATE INDEX posts_listed_by_published_at ON posts (workspace_key, is_listed, is_resolved, published_at, id)',
  'CREATE INDEX posts_of_channel_by_published_at ON posts (workspace_key, channel_key, is_resolved, published_at, id)',
  'CREATE INDEX posts_listed_by_last_activity_at ON posts (workspace_key, is_listed, is_resolved, last_activity_at, id)',
  'CREATE INDEX posts_of_channel_by_last_activity_at ON posts (workspace_key, channel_key, is_resolved, last_activity_at, id)',
  'CREATE INDEX posts_activity ON posts (channel_key, activity_revision)',
  'CREATE INDEX posts_of_author_by_published_at ON posts (workspace_key, author_key, channel_key, is_resolved, published_at, id)',
  'CREATE INDEX posts_of_author_by_last_activity_at ON posts (workspace_key, author_key, channel_key, is_resolved, last_activity_at, id)',
  `CREATE TABLE comments (
    key ${key}, id ${text} not null, workspace_key ${int} not null, post_key ${int} not null,
    parent_key ${int} not null default 0, author_key ${int} not null references authors (key),
    created_at ${int} not null, replies_count ${int} not null default 0, is_deleted ${int} not null default 0,
    fields text not null, markdown text not null, revision ${int} not null default 0, edited_at ${int}, via text)`,
  'CREATE UNIQUE INDEX comments_id ON comments (workspace_key, id)',
  'CREATE INDEX comments_of_post ON comments (workspace_key, post_key, created_at, id)',
  'CREATE INDEX comments_of_parent ON comments (workspace_key, post_key, parent_key, created_at, id)',
  'CREATE INDEX comments_revision ON comments (post_key, revision)',
  `CREATE TABLE messages (
    key ${key}, id ${text} not null, workspace_key ${int} not null,
    thread_key ${int} not null references threads (key), parent_key ${int} not null default 0,
    author_key ${int} not null references authors (key), created_at ${int} not null, updated_at ${int} not null,
    fields text not null, markdown text not null, revision ${int} not null default 0, via text)`,
  'CREATE UNIQUE INDEX messages_id ON messages (workspace_key, id)',
  'CREATE INDEX messages_of_thread ON messages (workspace_key, thread_key, created_at, id)',
  'CREATE INDEX messages_of_parent ON messages (workspace_key, thread_key, parent_key)',
  'CREATE INDEX messages_revision ON messages (thread_key, revision)',
  `CREATE TABLE deleted_webhooks (webhook_key ${int} primary key)`,
  `CREATE TABLE search_documents (
    key ${key}, workspace_key ${int} not null, type ${int} not null, record_key ${int} not null,
    place_key ${int} not null, post_key ${int} not null, created_at ${int} not null,
    title_signature ${int} not null)`,
  'CREATE UNIQUE INDEX search_documents_of_records ON search_documents (type, record_key)',
  `CREATE TABLE search_queue (
    created_at ${int} not null, type ${int} not null, record_key ${int} not null,
    primary key (created_at, type, record_key))`,
  `CREATE TABLE search_state (
    id ${int} primary key, is_built ${int} not null, next_post ${int} not null, next_comment ${int} not null,
    next_message ${int} not null, last_key ${int} not null, remaining ${int} not null,
    is_purge_due ${int} not null, secret ${text} not null default '')`,
  `CREATE TABLE attention (
    author_key ${int} not null, subject_type ${int} not null, subject_key ${int} not null,
    workspace_key ${int} not null, channel_key ${int} not null, read_revision ${int} not null default 0,
    is_marked_unread ${int} not null default 0, level ${int}, is_level_chosen ${int} not null default 0,
    entry_id text, entry_revision ${int}, entry_at ${int}, reason text, actor_key ${int}, item_key ${int},
    read_at ${int}, archived_at ${int}, before_reactions text,
    primary key (author_key, subject_type, subject_key))`,
  'CREATE INDEX attention_followers ON attention (subject_type, subject_key, level, author_key)',
  'CREATE UNIQUE INDEX attention_entries ON attention (workspace_key, entry_id) WHERE entry_id IS NOT NULL',
  `CREATE INDEX attention_inbox ON attention (author_key, entry_revision)
    WHERE entry_id IS NOT NULL AND archived_at IS NULL`,
  `CREATE INDEX attention_archived ON attention (author_key, entry_revision)
    WHERE entry_id IS NOT NULL AND archived_at IS NOT NULL`,
  `CREATE INDEX attention_unread ON attention (author_key, entry_revision)
    WHERE entry_id IS NOT NULL AND archived_at IS NULL AND read_at IS NULL`,
  `CREATE INDEX attention_reason ON attention (author_key, reason, entry_revision)
    WHERE entry_id IS NOT NULL AND archived_at IS NULL`,
  `CREATE INDEX attention_unread_places ON attention (author_key, channel_key)
    WHERE entry_id IS NOT NULL AND read_at IS NULL`,
  'CREATE INDEX attention_marked ON attention (author_key, channel_key) WHERE is_marked_unread = 1',
  `CREATE TABLE inbox_positions (
    workspace_key ${int} primary key, revision ${int} not null, recipient_key ${int} not null)`,
  `CREATE TABLE mails (
    key ${key}, id ${text} not null unique, kind ${text} not null, address text not null,
    workspace_key ${int} not null, author_key ${int} not null, created_at ${int} not null, due_at ${int},
    claimed_until ${int} not null default 0, attempts ${int} not null default 0, status ${text} not null,
    last_error text)`,
  'CREATE INDEX mails_due ON mails (due_at, claimed_until)',
  'CREATE INDEX mails_of_author ON mails (author_key, kind)',
  'CREATE INDEX mails_by_created_at ON mails (created_at)',
  `CREATE TABLE email_changes (
    author_key ${int} primary key references authors (key), user_key ${int} not null references users (key),
    email ${text} not null, is_everywhere ${int} not null, mail_key ${int} not null, created_at ${int} not null,
    expires_at ${int} not null)`,
  'CREATE INDEX email_changes_of_user ON email_changes (user_key)',
  `CREATE TABLE notification_settings (
    author_key ${int} primary key references authors (key), workspace_key ${int} not null, mail ${text} not null,
    mail_hour ${int} not null, is_sooner ${int} not null, paused_until ${int}, quiet_from ${int}, quiet_to ${int},
    time_zone ${text} not null)`,
  `CREATE TABLE notification_state (
    author_key ${int} primary key references authors (key), workspace_key ${int} not null, mail_due_at ${int},
    mailed_revision ${int} not null default 0, mailing_revision ${int}, attempts ${int} not null default 0,
    claimed_until ${int} not null default 0, unsubscribe_token ${text} not null unique)`,
  'CREATE INDEX notifications_due ON notification_state (mail_due_at, claimed_until)',
  `CREATE TABLE push_subscriptions (
    session_key ${int} primary key, workspace_key ${int} not null,
    author_key ${int} not null references authors (key), endpoint text not null, p256dh text not null,
    auth text not null, created_at ${int} not null, due_at ${int}, pushed_revision ${int} not null,
    attempts ${int} not null default 0, claimed_until ${int} not null default 0)`,
  'CREATE INDEX pushes_due ON push_subscriptions (due_at, claimed_until)',
  'CREATE INDEX push_subscriptions_of_author ON push_subscriptions (author_key)',
  `CREATE TABLE push_keys (id ${int} primary key, public_key text not null, private_key text not null)`,
  `CREATE TABLE author_posts (
    workspace_key ${int} not null, author_key ${int} not null references authors (key),
    channel_key ${int} not null references channels (key), posts_count ${int} not null default 0,
    resolved_count ${int} not null default 0, primary key (author_key, channel_key))`,
  `CREATE TABLE hooks (
    key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
    author_key ${int} not null references authors (key), owner_key ${int} not null references authors (key),
    channel_key ${int} not null default 0, post_key ${int} not null default 0,
    thread_key ${int} not null default 0, target_id ${text} not null, hash ${text}, last_used_at ${int},
    created_at ${int} not null, updated_at ${int} not null)`,
  'CREATE UNIQUE INDEX hooks_id ON hooks (workspace_key, id)',
  'CREATE UNIQUE INDEX hooks_by_hash ON hooks (hash)',
  'CREATE INDEX hooks_by_owner ON hooks (workspace_key, owner_key, created_at, id)',
  `CREATE TABLE blobs (
    key ${key}, workspace_key ${int} not null references workspaces (key), hash ${text} not null,
    object ${text} not null unique, size ${int} not null, created_at ${int} not null)`,
  'CREATE UNIQUE INDEX blobs_by_hash ON blobs (workspace_key, hash)',
  `CREATE TABLE files (
    key ${key}, id ${text} not null, workspace_key ${int} not null references workspaces (key),
    author_key ${int} not null references authors (key), blob_key ${int} not null references blobs (key),
    name ${text} not null, content_type ${text} not null, size ${int} not null, width ${int}, height ${int},
    created_at ${int} not null, references_count ${int} not null default 0, is_shared ${int} not null default 0,
    erase_at ${int})`,
  'CREATE UNIQUE INDEX files_id ON files (workspace_key, id)',
  'CREATE INDEX files_of_blob ON files (blob_key)',
  'CREATE INDEX files_to_erase ON files (erase_at) WHERE erase_at IS NOT NULL',
  'CREATE INDEX files_not_shared ON files (workspace_key, author_key, created_at, id) WHERE is_shared = 0',
  `CREATE TABLE file_references (
    file_key ${int} not null references files (key), subject_type ${int} not null, subject_key ${int} not null,
    workspace_key ${int} not null, channel_key ${int} not null default 0, thread_key ${int} not null default 0,
    owner_key ${int} not null default 0, primary key (file_key, subject_type, subject_key))`,
  'CREATE INDEX file_references_of_subject ON file_references (subject_type, subject_key)',
  `CREATE TABLE file_places (
    workspace_key ${int} not null, channel_key ${int} not null, thread_key ${int} not null,
    file_key ${int} not null references files (key), file_id ${text} not null, shared_at ${int} not null,
    references_count ${int} not null, primary key (file_key, channel_key, thread_key))`,
  'CREATE INDEX file_places_by_time ON file_places (workspace_key, channel_key, thread_key, shared_at, file_id)',
  `CREATE TABLE stray_objects (object ${text} primary key, delete_after ${int} not null)`,
  `CREATE TABLE backup_holds (id ${text} primary key, until ${int} not null)`,
  `CREATE TABLE reactions (
    key ${key}, workspace_key ${int} not null, subject_type ${int} not null, subject_key ${int} not null,
    author_key ${int} not null references authors (key), emoji ${text} not null, created_at ${int} not null)`,
  'CREATE UNIQUE INDEX reactions_own ON reactions (subject_type, subject_key, author_key, emoji)',
  'CREATE INDEX reactions_in_order ON reactions (subject_type, subject_key, emoji, key)',
  `CREATE TABLE reaction_counts (
    subject_type ${int} not null, subject_key ${int} not null, emoji ${text} not null,
    reactions_count ${int} not null, created_at ${int} not null, primary key (subject_type, subject_key, emoji))`,
  `CREATE TABLE custom_emoji (
    workspace_key ${int} not null references workspaces (key), name ${text} not null,
    picture ${text} not null unique, author_key ${int} not null references authors (key),
    created_at ${int} not null, blob_key ${int} not null references blobs (key),
    primary key (workspace_key, name))`,
  'CREATE INDEX custom_emoji_of_blob ON custom_emoji (blob_key)',
  `CREATE TABLE pins (
    post_key ${int} primary key references posts (key), post_id ${text} not null,
    workspace_key ${int} not null references workspaces (key),
    channel_key ${int} not null references channels (key), author_key ${int} not null references authors (key),
    pinned_at ${int} not null)`,
  'CREATE INDEX pins_of_channel ON pins (workspace_key, channel_key, pinned_at, post_id)',
  `CREATE TABLE saved_posts (
    author_key ${int} not null references authors (key), post_key ${int} not null references posts (key),
    post_id ${text} not null, workspace_key ${int} not null references workspaces (key), saved_at ${int} not null,
    remind_at ${int}, primary key (author_key, post_key))`,
  'CREATE INDEX saved_posts_by_time ON saved_posts (author_key, saved_at, post_id)',
  'CREATE INDEX saved_posts_of_post ON saved_posts (post_key)',
  'CREATE INDEX reminders_due ON saved_posts (remind_at, author_key, post_key) WHERE remind_at IS NOT NULL',
  `CREATE TABLE drafts (
    key ${key}, workspace_key ${int} not null references workspaces (key),
    author_key ${int} not null references authors (key), subject_id ${text} not null, title ${text} not null,
    content_markdown ${text} not null, version ${int} not null, updated_at ${int} not null,
    announced_at ${int} not null)`,
  'CREATE UNIQUE INDEX drafts_by_subject ON drafts (author_key, subject_id)',
  'CREATE INDEX drafts_by_time ON drafts (author_key, updated_at, subject_id)',
  `CREATE TABLE draft_versions (
    draft_key ${int} not null references drafts (key), title ${text} not null, content_markdown ${text} not null,
    version ${int} not null, updated_at ${int} not null, primary key (draft_key, version))`,
  `CREATE TABLE pictures (
    name ${text} primary key, workspace_key ${int} not null, author_key ${int} not null references authors (key),
    created_at ${int} not null, image ${bytes}, blob_key ${int} references blobs (key))`,
  'CREATE INDEX pictures_of_author ON pictures (workspace_key, author_key)',
  'CREATE INDEX pictures_of_blob ON pictures (blob_key) WHERE blob_key IS NOT NULL',
  `CREATE TABLE workspace_icons (
    workspace_key ${int} primary key references workspaces (key), name ${text} not null unique,
    created_at ${int} not null, image ${bytes}, blob_key ${int} references blobs (key))`,
  'CREATE INDEX workspace_icons_of_blob ON workspace_icons (blob_key) WHERE blob_key IS NOT NULL',
  `CREATE TABLE account_links (
    key ${key}, kind ${text} not null, mail_key ${int} not null, user_key ${int} not null references users (key),
    author_key ${int} not null references authors (key), hash ${text} not null, created_at ${int} not null,
    expires_at ${int} not null)`,
  'CREATE UNIQUE INDEX account_links_by_hash ON account_links (hash, author_key)',
  'CREATE INDEX account_links_of_user ON account_links (user_key, kind)',
  'CREATE INDEX account_links_of_author ON account_links (author_key, kind)',
  `CREATE TABLE search_days (day ${int} not null, block ${int} not null)`,
  'CREATE INDEX search_days_by_day ON search_days (day, block)',
]
