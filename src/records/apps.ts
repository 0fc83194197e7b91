import type { App } from '../contract/apps'
import type { Links } from '../domain/links'
import { timestamp } from '../domain/timestamps'
import type { AppRow } from '../store/apps'

export const toApp = (links: Links, row: AppRow): App => ({
  id: row.id,
  name: row.name,
  avatar_urls: links.avatar(row.avatar),
  created_at: timestamp(row.created_at),
  updated_at: timestamp(row.updated_at),
})
