import type { Edit } from '../contract/edits'
import { timestampOrNull } from '../domain/timestamps'
import type { EditRow } from '../store/edits'

export const toEdit = (row: EditRow): Edit => ({
  id: row.id,
  edited_at: timestampOrNull(row.edited_at),
  answer_deleted_at: timestampOrNull(row.answer_deleted_at),
  via: row.via,
  resolved_via: row.resolved_via,
})
