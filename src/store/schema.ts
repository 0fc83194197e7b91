import type { Generated } from 'kysely'
import type { Role } from '../contract/members'

/**
 * The tables, as both engines hold them. Keys are integers and stay inside; ids are TypeIDs and go out.
 * Times are milliseconds; booleans are stored as 0 or 1; key `0` means "none" where an index needs a value.
 */
export interface Tables {
  workspaces: WorkspaceTable
  users: { key: Generated<number>; id: string; email: string; created_at: number }
  authors: AuthorTable
  members: MemberTable
  apps: { author_key: number; workspace_key: number; id: string; name_fold: string; created_at: number }
  tokens: TokenTable
  sessions: SessionTable
  passwords: { user_key: number; hash: string; changed_at: number }
  /** The workspaces that a person's password opens, with the member it signs in there. */
  password_workspaces: { user_key: number; workspace_key: number; author_key: number }
  sign_in_attempts: { subject: string; attempts: number; started_at: number }
  pictures: { name: string; workspace_key: number; author_key: number; created_at: number; image: Uint8Array }
  /** At most one for each member; gone once it was used. */
  sign_in_links: {
    key: Generated<number>
    id: string
    workspace_key: number
    author_key: number
    hash: string
    /** 0 for whoever operates the server. */
    created_by_key: number
    created_at: number
    expires_at: number
  }
  channels: ChannelTable
  channel_members: {
    workspace_key: number
    channel_key: number
    author_key: number
    author_id: string
    created_at: number
  }
  posts: PostTable
  comments: CommentTable
  threads: ThreadTable
  thread_members: {
    workspace_key: number
    thread_key: number
    author_key: number
    thread_id: string
    /** The thread's, so that the list of a member's threads is one index. */
    last_activity_at: number
  }
  messages: MessageTable
  events: EventTable
  idempotency_keys: {
    workspace_key: number
    author_key: number
    key: string
    request_hash: string
    /** Null where the answer showed a secret; empty where the record it showed has been deleted since. */
    answer: string | null
    created_at: number
    /** The post, comment or message the answer shows, or empty. */
    subject_id: string
  }
  webhooks: WebhookTable
  deliveries: {
    key: Generated<number>
    id: string
    workspace_key: number
    webhook_key: number
    event_id: string
    event_type: string
    /** The event, which is rendered when it is sent; 0 for a ping. */
    revision: number
    status: 'pending' | 'delivered' | 'failed'
    attempts_count: number
    /** How many of the attempts were made before it was last sent again by hand: retries count from there. */
    attempts_before: number
    /** Why Parley decided not to send it. */
    not_sent_reason: string | null
    created_at: number
    /** Null once there is nothing more to try. */
    next_attempt_at: number | null
  }
  delivery_attempts: {
    delivery_key: number
    attempted_at: number
    duration_ms: number
    response_status: number | null
    response_body: string | null
    error: string | null
  }
  /** Webhooks that were deleted and may still have deliveries. */
  deleted_webhooks: { webhook_key: number }
  /** One row: the key that secrets are encrypted with. */
  secret_key: { id: number; fingerprint: string }
  search_documents: SearchDocumentTable
  /** Records that were there before the index, and wait to be indexed. */
  search_queue: { created_at: number; type: number; record_key: number }
  search_state: SearchStateTable
  schema_migrations: { number: number; name: string; applied_at: number }
}

interface WorkspaceTable {
  key: Generated<number>
  id: string
  slug: string
  name: string
  revision: number
  /** Of the last change. */
  nonce: Generated<number>
  /** The last change whose event is no longer kept; 0 where all are. */
  pruned_revision: Generated<number>
  pruned_nonce: Generated<number>
  created_at: number
  admins_count: number
  members_count: number
  viewers_count: number
  guests_count: number
  apps_count: number
}

interface AuthorTable {
  key: Generated<number>
  workspace_key: number
  id: string
  type: 'app' | 'member'
  name: string
  /** The name of the file that shows it, escaped for a URL. */
  avatar: string
  /** `name`, `id` and `type` as JSON, see domain/record-fields.ts. */
  fields: string
  threads_count: number
  tokens_count: number
}

interface MemberTable {
  author_key: number
  workspace_key: number
  id: string
  user_key: number
  role: Role
  is_deactivated: boolean
  created_at: number
  last_seen_at: number
  /** Name and e-mail, folded: what `q` looks into. */
  search_text: string
  /** `id` and `created_at` as JSON; of the user `id` and `email`. */
  fields: string
  user_fields: string
}

interface TokenTable {
  key: Generated<number>
  id: string
  workspace_key: number
  author_key: number
  /** `page`: of a browser that is signed in, for a few minutes. */
  kind: 'api' | 'page'
  hash: string
  name: string
  scopes: string
  created_at: number
  expires_at: number | null
  last_used_at: number | null
  /** The session of a page's token; 0 for others. */
  session_key: Generated<number>
}

interface SessionTable {
  key: Generated<number>
  id: string
  workspace_key: number
  author_key: number
  hash: string
  name: string
  created_at: number
  last_used_at: number
  /** When its end was last put off. */
  renewed_at: number
  expires_at: number
}

interface ChannelTable {
  key: Generated<number>
  id: string
  workspace_key: number
  name: string
  name_fold: string
  is_private: boolean
  archived_at: number | null
  /** Public and not archived: its posts are seen by everyone but guests. */
  is_listed: boolean
  created_at: number
  posts_count: number
  resolved_count: number
  members_count: number
  /** `id` and `name` as JSON. */
  fields: string
}

interface PostTable {
  key: Generated<number>
  id: string
  workspace_key: number
  channel_key: number
  author_key: number
  /** `created_at` in the API. */
  published_at: number
  last_activity_at: number
  comments_count: number
  root_comments_count: number
  /** The channel's `is_listed`. */
  is_listed: boolean
  is_resolved: boolean
  resolved_by_key: number
  resolved_comment_key: number
  /** `last_activity_at` and `comments_count` as JSON. */
  activity: string
  /** `id`, `title`, `created_at` and `content` as JSON. */
  fields: string
  /** `resolved_at` and `resolved_html` as JSON; null where it is not resolved. */
  resolution: string | null
  markdown: string
  resolved_markdown: string | null
}

interface CommentTable {
  key: Generated<number>
  id: string
  workspace_key: number
  post_key: number
  parent_key: number
  author_key: number
  created_at: number
  replies_count: number
  /** Deleted, but kept without content because it has replies. */
  is_deleted: boolean
  /** All of its record as JSON but `replies_count` and `author`. */
  fields: string
  markdown: string
}

interface ThreadTable {
  key: Generated<number>
  id: string
  workspace_key: number
  author_key: number
  title: string
  /** The two authors of a direct thread, so that there is one for each pair. */
  direct_pair: string | null
  created_at: number
  last_activity_at: number
  messages_count: number
}

interface MessageTable {
  key: Generated<number>
  id: string
  workspace_key: number
  thread_key: number
  parent_key: number
  author_key: number
  created_at: number
  updated_at: number
  /** All of its record as JSON but `author`. */
  fields: string
  markdown: string
}

interface EventTable {
  workspace_key: number
  revision: number
  nonce: number
  type: string
  actor_key: number
  /** Where it happened, which decides who can see it: a channel or a thread, or 0 for neither. */
  channel_key: number
  thread_key: number
  created_at: number
  data: string
  /** The post, comment or message whose content `data` holds, or empty. */
  subject_id: string
  /** That record has been deleted, and `data` holds its content no more. */
  is_redacted: boolean
}

interface WebhookTable {
  key: Generated<number>
  id: string
  workspace_key: number
  author_key: number
  url: string
  /** Comma-separated; empty for all. */
  types: string
  is_enabled: boolean
  disabled_reason: string | null
  created_at: number
  /** Encrypted, as is the one before it, which is still good for a while. */
  secret: string
  old_secret: string | null
  old_secret_until: number
  /** The revision up to which its deliveries were queued. */
  position: number
  /** When the next of its deliveries is due. */
  due_at: number | null
  failing_since: number | null
  /** Until when a node holds it for sending. */
  claimed_until: number
  /** Of its deliveries that wait, those up to this key were dropped and are never sent; 0 for none. */
  dropped_key: number
  deliveries_count: number
  delivered_count: number
  failed_count: number
}

/** A record that can be found. Of one workspace, a larger key is a newer record. */
interface SearchDocumentTable {
  key: Generated<number>
  workspace_key: number
  /** See store/search/types.ts. */
  type: number
  record_key: number
  /** The channel of a post or comment, or the thread of a message. */
  place_key: number
  /** The post itself, or that of a comment; 0 for messages. */
  post_key: number
  created_at: number
  /** See domain/search/title-signature.ts. */
  title_signature: number
}

/** One row: how far records that were there before the index are in it. */
interface SearchStateTable {
  id: number
  /** All records are in the index. */
  is_built: boolean
  /** The newest of each that still have to be queued; 0 once all are. */
  next_post: number
  next_comment: number
  next_message: number
  /** The key of the last that was taken from the queue: the next gets the one before. */
  last_key: number
  /** How many were left, about. */
  remaining: number
  /** Texts were removed whose words may still be in the file, or a build has left many parts: all are to become one. */
  is_purge_due: boolean
}
