import type { SavedPost } from '../contract/saved'
import { timestamp, timestampOrNull } from '../domain/timestamps'
import type { SavedRow } from '../store/saved'
import { toPost } from './posts'

export const toSavedPost = (row: SavedRow): SavedPost => ({
  post: toPost(row),
  saved_at: timestamp(row.saved_at),
  remind_at: timestampOrNull(row.remind_at),
})
