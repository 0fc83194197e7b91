import type { Generated } from 'kysely'

/** Uploaded files, and where they are used. */
export interface FileTables {
  blobs: BlobTable
  files: FileTable
  file_references: FileReferenceTable
  file_places: FilePlaceTable
  /** Objects in the storage that no blob names any more, and when they may be deleted. */
  stray_objects: { object: string; delete_after: number }
  /** Backups that are running. No object is deleted before `until`. */
  backup_holds: { id: string; until: number }
}

/** Stored bytes. The same bytes are stored once in a workspace. */
interface BlobTable {
  key: Generated<number>
  workspace_key: number
  /** SHA-256 of the bytes, in hexadecimal digits. */
  hash: string
  /** Its name in the storage. It is never used twice, so that erasing an object never deletes another one. */
  object: string
  size: number
  created_at: number
}

interface FileTable {
  key: Generated<number>
  id: string
  workspace_key: number
  /** Who uploaded it. */
  author_key: number
  blob_key: number
  name: string
  content_type: string
  size: number
  /** In pixels; null if it has none or it is not known. */
  width: number | null
  height: number | null
  created_at: number
  /** Records and drafts that reference it. */
  references_count: Generated<number>
  /** Whether a record has ever referenced it. From then on, only viewers who can see such a record can see it. */
  is_shared: Generated<boolean>
  /** When to erase it; null while it is referenced. */
  erase_at: number | null
}

interface FileReferenceTable {
  file_key: number
  /** See domain/references.ts. */
  subject_type: number
  subject_key: number
  workspace_key: number
  /** Where the record is: a channel, a thread, or 0. */
  channel_key: Generated<number>
  thread_key: Generated<number>
  /** Whose draft it is, or 0. */
  owner_key: Generated<number>
}

/** A file is listed once in each channel or thread, however many records there reference it. */
interface FilePlaceTable {
  workspace_key: number
  channel_key: number
  thread_key: number
  file_key: number
  file_id: string
  shared_at: number
  references_count: number
}

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
  /** See domain/references.ts. */
  type: number
  record_key: number
  /** The channel of a post or comment, or the thread of a message. */
  place_key: number
  /** The post itself, or that of a comment; 0 for messages. */
  post_key: number
  created_at: number
  /** See domain/search/terms.ts. */
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
  /** The secret that encrypts keys in cursors: random, and never shown. */
  secret: string
}
