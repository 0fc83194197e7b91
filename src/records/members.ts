import type { Member } from '../contract/members'
import type { Links } from '../domain/links'
import { timestamp } from '../domain/timestamps'
import type { MemberRow } from '../store/members'

export const toMember = (links: Links, row: MemberRow): Member => ({
  id: row.id,
  role: row.role,
  created_at: timestamp(row.created_at),
  is_deactivated: row.is_deactivated,
  user: { id: row.user_id, avatar_urls: links.avatar(row.avatar), email: row.email, display_name: row.name },
})
