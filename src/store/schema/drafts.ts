import type { Generated } from 'kysely'

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
  /** The id of its place, or `new`. The place may have been deleted. */
  subject_id: string
  /** When an event last told the other devices about it. */
  announced_at: number
}
