import type { OpenSignInLink } from '../contract/sign-in-links'
import { type Links, toAuthor } from '../domain/links'
import { timestamp } from '../domain/timestamps'
import type { OpenLinkRow } from '../store/sign-in-links'

export const toOpenSignInLink = (links: Links, row: OpenLinkRow): OpenSignInLink => ({
  id: row.id,
  member: toAuthor(links, row.member),
  created_by: row.created_by === null ? null : toAuthor(links, row.created_by),
  created_at: timestamp(row.created_at),
  expires_at: timestamp(row.expires_at),
})
