import type { Generated } from 'kysely'

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
  /** See store/reactions/subjects.ts. */
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
