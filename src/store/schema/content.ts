import type { Generated, GeneratedAlways } from 'kysely'

/** What people write, and where. */
export interface ContentTables {
  channels: ChannelTable
  channel_members: {
    workspace_key: number
    channel_key: number
    author_key: number
    author_id: string
    created_at: number
  }
  posts: PostTable
  post_activity: PostActivityTable
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
}

interface ChannelTable {
  key: Generated<number>
  id: string
  workspace_key: number
  name: string
  name_fold: string
  /** What it is sorted by: see contract/browser/natural-order.ts. */
  name_order: string
  /** Its name and its description, folded: what `q` looks into. */
  search_text: string
  description: string
  is_private: boolean
  archived_at: number | null
  /** Public, and joined by members and viewers when they join the workspace. */
  is_default: Generated<boolean>
  /** The id of the member or app that created it. */
  creator_id: string | null
  /** Public and not archived: its posts are seen by everyone but guests. */
  is_listed: boolean
  /** Null if all its posts have its `is_listed`; otherwise posts published up to this time do. See content/relisting.ts. */
  relisting_at: Generated<number | null>
  created_at: number
  updated_at: number
  posts_count: number
  resolved_count: number
  members_count: number
  /** Files that its posts and comments reference. */
  files_count: Generated<number>
}

/** A time as the API writes it. The database makes it of another column, because writing it takes too long for lists. */
type WrittenTime<T extends string | null = string> = GeneratedAlways<T>

interface PostTable {
  key: Generated<number>
  id: string
  workspace_key: number
  channel_key: number
  author_key: number
  /** `created_at` in the API. */
  published_at: number
  published_time: WrittenTime
  /** The channel's `is_listed`. */
  is_listed: boolean
  is_resolved: boolean
  /** Null where it is not resolved. */
  resolved_at: number | null
  resolved_time: WrittenTime<string | null>
  resolved_by_key: number
  resolved_comment_key: number
  title: string
  /** HTML. */
  content: string
  resolved_html: string | null
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

/**
 * What changes with each comment on a post, apart from the post: PostgreSQL writes a row that changes again, with all its index
 * entries. The other columns are those of the post, for the indexes.
 */
interface PostActivityTable {
  post_key: number
  post_id: string
  workspace_key: number
  channel_key: number
  author_key: number
  is_listed: boolean
  is_resolved: boolean
  last_activity_at: number
  last_activity_time: WrittenTime
  comments_count: number
  root_comments_count: number
  /** The revision of what happened to it last: it was published, commented on, resolved or reopened. */
  activity_revision: Generated<number>
  /** The same without its comments. */
  own_revision: Generated<number>
}

interface CommentTable {
  key: Generated<number>
  id: string
  workspace_key: number
  post_key: number
  parent_key: number
  author_key: number
  created_at: number
  created_time: WrittenTime
  replies_count: number
  /** At which it was written; 0 if that was before revisions were noted. */
  revision: Generated<number>
  /** Deleted, but kept without content because it has replies. */
  is_deleted: boolean
  /** HTML. */
  content: string
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
  /** Files that its messages reference. */
  files_count: Generated<number>
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
  created_time: WrittenTime
  updated_at: number
  updated_time: WrittenTime
  /** At which it was written; 0 if that was before revisions were noted. */
  revision: Generated<number>
  /** HTML. */
  content: string
  markdown: string
  via: string | null
}

/** Drafts of members. */
export interface DraftTables {
  drafts: DraftTable
  /** Texts that were replaced by a device that had not seen them. */
  draft_versions: DraftText & { draft_key: number }
}

interface DraftText {
  title: string
  content_markdown: string
  /** A number that no other version of a draft of this member has or had. */
  version: number
  updated_at: number
}

interface DraftTable extends DraftText {
  key: Generated<number>
  workspace_key: number
  author_key: number
  /** The id of its subject, or `new`. The subject may have been deleted. */
  subject_id: string
  /** When an event last told the other devices about it. */
  announced_at: number
}

/** Reactions to posts, comments and messages, and custom emoji. */
export interface ReactionTables {
  reactions: ReactionTable
  reaction_counts: ReactionCountTable
  custom_emoji: {
    workspace_key: number
    name: string
    /** The last part of its URL. It cannot be guessed. */
    picture: string
    author_key: number
    created_at: number
    blob_key: number
  }
}

interface ReactionTable {
  /** Later reactions have higher keys. */
  key: Generated<number>
  workspace_key: number
  /** See domain/references.ts. */
  subject_type: number
  subject_key: number
  author_key: number
  emoji: string
  created_at: number
}

/** How often an emoji was used on a record. If nobody uses it any more, there is no row. */
interface ReactionCountTable {
  subject_type: number
  subject_key: number
  emoji: string
  reactions_count: number
  /** When it was first used. */
  created_at: number
}

/** Pinned posts, which everyone in a channel sees, and saved posts, which only the member sees. */
export interface SavedTables {
  pins: {
    post_key: number
    /** The post's id and channel, so that the list of a channel is one index. */
    post_id: string
    workspace_key: number
    channel_key: number
    /** Who pinned it. */
    author_key: number
    pinned_at: number
  }
  saved_posts: {
    author_key: number
    post_key: number
    /** The post's id, so that the list of a member is one index. */
    post_id: string
    workspace_key: number
    saved_at: number
    /** Null if there is no reminder, or if the reminder was sent. */
    remind_at: number | null
  }
}
