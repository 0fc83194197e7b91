import type { Generated } from 'kysely'

/** The index of the search. */
export interface SearchTables {
  search_documents: SearchDocumentTable
  /** Records that were there before the index, and wait to be indexed. */
  search_queue: { created_at: number; type: number; record_key: number }
  search_state: SearchStateTable
  /** On which days the records with keys of each block of keys were created. A pair may be there more than once. */
  search_days: { day: number; block: number }
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
  /** What keys in cursors are encrypted with: random, and never shown. */
  secret: string
}
