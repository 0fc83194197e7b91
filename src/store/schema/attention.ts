import type { Generated } from 'kysely'
import type { InboxAbout, InboxReason } from '../../contract/inbox'

/** What members have read and follow, and their inboxes. Kinds are numbered in domain/references.ts. */
export interface AttentionTables {
  read_positions: ReadPositionTable
  follows: FollowTable
  inbox_entries: InboxEntryTable
  /** Posts that are deleted, whose rows in the tables above are still to be deleted, from the members after one on. */
  removed_subjects: { kind: number; subject_key: number; author_key: number }
  /** How far the log of a workspace is in the inboxes: up to an event, and of the next one up to a recipient. */
  inbox_positions: { workspace_key: number; revision: number; recipient_key: number }
}

/** How far a member has read a post, a thread or a channel. There is no row for what they have not touched. */
interface ReadPositionTable {
  author_key: number
  kind: number
  subject_key: number
  /** The channel of a post, or the channel itself; 0 for a thread. */
  channel_key: number
  /** Read up to this revision. What counts is the newest of this, the channel's and the member's, unless it is marked as unread. */
  revision: number
  is_marked_unread: Generated<boolean>
}

/** How a member follows a post, a thread or a channel, if they chose it or it follows from what they did. */
interface FollowTable {
  author_key: number
  kind: number
  subject_key: number
  /** 0 nothing, 1 mentions, 2 all activity. */
  level: number
  is_chosen: Generated<boolean>
}

/** One entry of an inbox for each member, subject and what it is about; of reactions, for each record that was reacted to. */
interface InboxEntryTable {
  key: Generated<number>
  id: string
  workspace_key: number
  author_key: number
  about: InboxAbout
  /** The subject is a post, a thread or a channel. */
  kind: number
  subject_key: number
  /** The channel of a post; 0 for threads and channels, which are not read with a channel. */
  channel_key: number
  /** The comment or message; 0 for none, -1 for the note of a resolution. */
  item_key: number
  reason: InboxReason
  /** The group that was mentioned; 0 for none. It may have been deleted. */
  group_key: Generated<number>
  /** Who did it; 0 for nobody. Who reacted is in `reactions`. */
  actor_key: number
  /** The event that moved it up last, and when that was. Entries of a member have different revisions. */
  revision: number
  at: number
  /** Read by itself, or with its post or thread. Otherwise it is read with its channel or with everything. */
  is_read: Generated<boolean>
  /** Unread, whatever of its channel and of everything was read before. */
  is_marked_unread: Generated<boolean>
  archived_at: number | null
}
