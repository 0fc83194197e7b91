import type { Generated } from 'kysely'
import type { InboxReason } from '../contract/inbox'
import type { Role } from '../contract/members'
import type { NotificationTimes } from '../domain/notification-times'

/**
 * The tables, as both engines hold them. Keys are integers and stay inside; ids are TypeIDs and go out.
 * Times are milliseconds; booleans are stored as 0 or 1; key `0` means "none" where an index needs a value.
 */
export interface Tables {
  workspaces: WorkspaceTable
  users: { key: Generated<number>; id: string; email: string; created_at: number }
  authors: AuthorTable
  members: MemberTable
  apps: {
    author_key: number
    workspace_key: number
    id: string
    name_fold: string
    created_at: number
    updated_at: number
  }
  tokens: TokenTable
  sessions: SessionTable
  passwords: { user_key: number; hash: string; changed_at: number }
  /** The workspaces that a person's password opens, with the member it signs in there. */
  password_workspaces: { user_key: number; workspace_key: number; author_key: number }
  sign_in_attempts: { subject: string; attempts: number; started_at: number }
  pictures: { name: string; workspace_key: number; author_key: number; created_at: number; image: Uint8Array }
  /** At most one for each workspace. */
  workspace_icons: { workspace_key: number; name: string; created_at: number; image: Uint8Array }
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
  /** How many posts an author has in a channel. */
  author_posts: {
    workspace_key: number
    author_key: number
    channel_key: number
    posts_count: number
    resolved_count: number
  }
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
  attention: AttentionTable
  /** How far the log of a workspace is in the inboxes: up to an event, and of the next one up to a recipient. */
  inbox_positions: { workspace_key: number; revision: number; recipient_key: number }
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
  hooks: HookTable
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
  mails: MailTable
  /** What is in mails and lets a person in, by the hash of its secret. A mail that was tried twice has two. */
  account_links: {
    key: Generated<number>
    kind: 'sign_in' | 'password_reset' | 'email_change'
    mail_key: number
    user_key: number
    author_key: number
    hash: string
    created_at: number
    expires_at: number
  }
  /** The address that a member wants to have, until they confirm that it is theirs. */
  email_changes: {
    author_key: number
    user_key: number
    email: string
    /** They know the password: it changes wherever that opens, and not only here. */
    is_everywhere: boolean
    mail_key: number
    created_at: number
    expires_at: number
  }
  notification_settings: NotificationTimes & { author_key: number; workspace_key: number }
  notification_state: NotificationStateTable
  push_subscriptions: PushSubscriptionTable
  /** One row: the VAPID key pair of this server, the private key encrypted. */
  push_keys: { id: number; public_key: string; private_key: string }
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
  updated_at: number
  /** The name of the file of its icon, escaped for a URL. */
  icon: string | null
  /** Whether an admin has finished or dismissed the checklist of the web app. */
  is_set_up: boolean
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
  /** Everything up to this revision is read: first, what was there when they joined. */
  read_revision: Generated<number>
  /** Name and e-mail, folded: what `q` looks into. */
  search_text: string
  job_title: string | null
  /** A name of the IANA database. */
  time_zone: string | null
  /** `id` and `created_at` as JSON; of the user `id` and `email`. */
  fields: string
  user_fields: string
  /** The preferences that differ from the defaults, as JSON. */
  preferences: Generated<string>
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
  description: string
  is_private: boolean
  archived_at: number | null
  /** Public and not archived: its posts are seen by everyone but guests. */
  is_listed: boolean
  created_at: number
  updated_at: number
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
  /** The revision of what happened to it last: it was published, commented on, resolved or reopened. */
  activity_revision: Generated<number>
  /** The same without its comments. */
  own_revision: Generated<number>
  /** `last_activity_at` and `comments_count` as JSON. */
  activity: string
  /** `id`, `title`, `created_at` and `content` as JSON. */
  fields: string
  /** `resolved_at` and `resolved_html` as JSON; null where it is not resolved. */
  resolution: string | null
  markdown: string
  resolved_markdown: string | null
  /** When its title or text last changed; null if never. */
  edited_at: number | null
  /** When the comment it is resolved with was deleted; null if it was not. */
  answer_deleted_at: number | null
  /** The program that wrote it for its author, and that resolved it; null where they did it themselves. */
  via: string | null
  resolved_via: string | null
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
  /** At which it was written; 0 if that was before revisions were noted. */
  revision: Generated<number>
  /** Deleted, but kept without content because it has replies. */
  is_deleted: boolean
  /** All of its record as JSON but `replies_count` and `author`. */
  fields: string
  markdown: string
  /** When its text last changed; null if never. */
  edited_at: number | null
  via: string | null
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
  updated_at: number
  last_activity_at: number
  /** Null if no message was ever written. */
  last_message_at: number | null
  messages_count: number
  /** The revision of its last message, or at which it was started. */
  activity_revision: Generated<number>
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
  /** At which it was written; 0 if that was before revisions were noted. */
  revision: Generated<number>
  /** All of its record as JSON but `author`. */
  fields: string
  markdown: string
  via: string | null
}

/**
 * What a post, a thread or a channel is to a member: how far they have read it, how they follow it, and its entry in their
 * inbox. There is no row for what a member has not touched and was not told of.
 */
interface AttentionTable {
  author_key: number
  /** See store/attention/subjects.ts. */
  subject_type: number
  subject_key: number
  workspace_key: number
  /** The channel of a post, or the channel itself; 0 for a thread. */
  channel_key: number
  /** Read up to this revision. What counts is the newest of this, the channel's and the member's, unless it was marked unread. */
  read_revision: Generated<number>
  is_marked_unread: Generated<boolean>
  /** 0 nothing, 1 mentions, 2 all activity; null where nothing was chosen and nothing follows from what they did. */
  level: number | null
  is_level_chosen: Generated<boolean>
  /** Null where there is no entry in the inbox. */
  entry_id: string | null
  /** The event that moved it up last, and when that was. */
  entry_revision: number | null
  entry_at: number | null
  reason: InboxReason | null
  actor_key: number | null
  /** The comment or message it is about; 0 for none. */
  item_key: number | null
  read_at: number | null
  archived_at: number | null
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
  /** Who it is addressed to, and the members it newly mentions or adds: see `recipientList` in domain/event-visibility.ts. */
  recipients: string
  mentioned: string
  /** The program that did it for the actor. */
  via: string | null
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
  updated_at: number
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

/** An address that other systems post to. Its channel is that of its post too; a key is 0 where there is none. */
interface HookTable {
  key: Generated<number>
  id: string
  workspace_key: number
  /** The app that what it posts is by. */
  author_key: number
  /** The member whose access it has. */
  owner_key: number
  channel_key: number
  post_key: number
  thread_key: number
  /** The id of the channel, post or thread, also once that is gone. */
  target_id: string
  /** Of its secret; null since its owner was deactivated. */
  hash: string | null
  last_used_at: number | null
  created_at: number
  updated_at: number
}

/** A mail to one person, without its text: that is written when it is sent. */
interface MailTable {
  key: Generated<number>
  id: string
  kind: 'invitation' | 'password_reset' | 'sign_in_link' | 'email_change' | 'email_change_notice'
  /** Whom it goes to; empty for the address that the member has when it is sent. */
  address: string
  /** The member it is about; 0 where only an address is known. */
  workspace_key: number
  author_key: number
  created_at: number
  /** Null once there is nothing more to try. */
  due_at: number | null
  claimed_until: number
  attempts: number
  status: 'pending' | 'sent' | 'failed' | 'canceled'
  last_error: string | null
}

/** What a member was mailed about. */
interface NotificationStateTable {
  author_key: number
  workspace_key: number
  /** When to mail what is still unread; null where nothing is new. */
  mail_due_at: number | null
  /** The revision up to which entries were mailed. */
  mailed_revision: number
  /** The same for the mail that is being sent: if it is sent again, it is about the same. */
  mailing_revision: number | null
  attempts: number
  claimed_until: number
  /** Turns the mails off, and nothing else. */
  unsubscribe_token: string
}

/** A browser that shows notifications. It ends with its session. */
interface PushSubscriptionTable {
  session_key: number
  workspace_key: number
  author_key: number
  endpoint: string
  /** The keys of the browser that messages are encrypted for. */
  p256dh: string
  auth: string
  created_at: number
  due_at: number | null
  /** The revision up to which entries were pushed. */
  pushed_revision: number
  attempts: number
  claimed_until: number
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
