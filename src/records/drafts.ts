import type { Draft, DraftVersion } from '../contract/drafts'
import { timestamp } from '../domain/timestamps'
import type { DraftRow, DraftVersionRow } from '../store/drafts'

export const toDraft = (row: DraftRow, others: readonly DraftVersionRow[]): Draft => ({
  subject_id: row.subject_id,
  ...toText(row),
  others: others.filter(({ draft_key }) => draft_key === row.key).map(toText),
})

const toText = ({ title, content_markdown, version, updated_at }: DraftRow | DraftVersionRow): DraftVersion => ({
  title,
  content_markdown,
  version,
  updated_at: timestamp(updated_at),
})
