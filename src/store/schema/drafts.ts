import type { Generated } from 'kysely'

/** What members have begun to write. */
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
  /** The id of its place, or `new`. The place may be gone. */
  subject_id: string
  /** When the other devices were told of it last. */
  announced_at: number
}
