import type { Generated } from 'kysely'
import type { InboxReason } from '../../contract/inbox'

/** What members have read and follow, and their inboxes. */
export interface AttentionTables {
  attention: AttentionTable
  /** How far the log of a workspace is in the inboxes: up to an event, and of the next one up to a recipient. */
  inbox_positions: { workspace_key: number; revision: number; recipient_key: number }
}

/**
 * What a post, a thread or a channel is to a member: how far they have read it, how they follow it, and its entry in their
 * inbox. There is no row for what a member has not touched and was not told of.
 */
interface AttentionTable {
  author_key: number
  /** See domain/references.ts. */
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
  /** What the entry showed before reactions moved it up, as JSON; null if it shows no reaction. See store/attention/reaction-entries.ts. */
  before_reactions: Generated<string | null>
}
