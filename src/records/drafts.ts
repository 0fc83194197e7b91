import type { Draft, DraftPlace, DraftVersion } from '../contract/drafts'
import { parsePostTitle } from '../domain/record-fields'
import { timestamp } from '../domain/timestamps'
import type { DraftPlaceRow } from '../store/draft-subjects'
import type { DraftRow, DraftVersionRow } from '../store/drafts'

export const toDraft = (row: DraftRow, others: readonly DraftVersionRow[]): Draft => ({
  subject_id: row.subject_id,
  ...toText(row),
  others: others.filter(({ draft_key }) => draft_key === row.key).map(toText),
})

export const toDraftPlace = ({ name, post_fields, post_id, author_name }: DraftPlaceRow): DraftPlace => ({
  name: post_fields === null ? name! : parsePostTitle(post_fields),
  post_id,
  author_name,
})

const toText = ({ title, content_markdown, version, updated_at }: DraftRow | DraftVersionRow): DraftVersion => ({
  title,
  content_markdown,
  version,
  updated_at: timestamp(updated_at),
})
