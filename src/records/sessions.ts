import type { Session } from '../contract/sessions'
import { timestamp } from '../domain/timestamps'
import type { SessionRow } from '../store/sessions'

export const toSession = (row: SessionRow, currentKey: number | undefined): Session => ({
  id: row.id,
  name: row.name,
  created_at: timestamp(row.created_at),
  last_used_at: timestamp(row.last_used_at),
  expires_at: timestamp(row.expires_at),
  is_current: row.key === currentKey,
})
