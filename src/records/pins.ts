import type { Pin } from '../contract/pins'
import { timestamp } from '../domain/timestamps'
import type { PinRow } from '../store/pins'
import { toAuthor } from './authors'
import type { Links } from './links'
import { toPost } from './posts'

export const toPin = (links: Links, row: PinRow): Pin => ({
  post: toPost(row),
  pinned_at: timestamp(row.pinned_at),
  pinned_by: toAuthor(links, row.pinned_by),
})
