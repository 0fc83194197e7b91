import type { Author } from '../contract/authors'
import type { AuthorRow } from '../store/authors'
import type { Links } from './links'

export const toAuthor = (links: Links, row: AuthorRow): Author => ({
  avatar_urls: links.avatar(row.author_avatar),
  name: row.author_name,
  id: row.author_id,
  type: row.author_type,
})
