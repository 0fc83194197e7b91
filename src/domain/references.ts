import type { Kind } from '../contract/browser/kinds'

/**
 * The kinds of records as columns store them. These numbers never change.
 * They are in `reactions`, `reaction_counts`, `search_documents` and `file_references`.
 */
export const kindNumbers = { post: 1, comment: 2, message: 3 } as const

/** What can reference a file, in `file_references`: a resolution and a draft are no records with an id. */
export const fileHolderNumbers = { ...kindNumbers, resolution: 4, draft: 5 } as const
export type FileHolder = keyof typeof fileHolderNumbers

/** What a member can read and follow, in `read_positions`, `follows` and `inbox_entries`, which have their own numbers. */
export const attentionNumbers = { post: 1, thread: 2, channel: 3 } as const
export type AttentionKind = keyof typeof attentionNumbers

/** A record that was found by its id, and where it is. */
export interface Located<K extends Kind = Kind> {
  kind: K
  key: number
  id: string
  /** Who wrote it; 0 for threads and channels. */
  author_key: number
  /** The channel it is in, or the channel itself; 0 for threads and messages. */
  channel_key: number
  /** The thread it is in, or the thread itself; 0 for everything in channels. */
  thread_key: number
  /** The revision of what happened last to a post or thread; 0 for the others. */
  activity_revision: number
}

/** A post, thread or channel, as what a member reads and follows. */
export type AttentionSubject = Located<AttentionKind>
