import type { Channel } from '../contract/channels'
import { timestamp, timestampOrNull } from '../domain/timestamps'
import type { ActiveChannelRow } from '../store/channels'

export const toChannel = (row: ActiveChannelRow): Channel => ({
  id: row.id,
  name: row.name,
  description: row.description,
  is_private: row.is_private,
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
  archived_at: timestampOrNull(row.archived_at),
  last_activity_at: timestampOrNull(row.last_activity_at),
  posts_count: row.posts_count,
  members_count: row.members_count,
})
