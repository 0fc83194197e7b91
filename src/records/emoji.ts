import type { CustomEmoji } from '../contract/emoji'
import { type Links, toAuthor } from '../domain/links'
import { seesPublic, type Viewer } from '../domain/permissions'
import { timestamp } from '../domain/timestamps'
import type { CustomEmojiRow } from '../store/emoji'

/** A custom emoji as a viewer sees it. Guests do not see who added it, because they may not see every member. */
export const toCustomEmoji = (
  links: Links,
  viewer: Viewer,
  { name, picture, created_at, author }: CustomEmojiRow,
): CustomEmoji => ({
  name,
  url: links.emoji(picture),
  created_at: timestamp(created_at),
  created_by: seesPublic(viewer) ? toAuthor(links, author) : null,
})
