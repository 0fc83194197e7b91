import type { Pin } from '../contract/pins'
import { type Links, toAuthor } from '../domain/links'
import { timestamp } from '../domain/timestamps'
import type { PinRow } from '../store/pins'
import { toPost } from './posts'

export const toPin = (links: Links, row: PinRow): Pin => ({
  post: toPost(row),
  pinned_at: timestamp(row.pinned_at),
  pinned_by: toAuthor(links, row.pinned_by),
})
