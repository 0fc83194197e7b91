import type { Profile } from '../contract/members'
import { timestamp } from '../domain/timestamps'
import type { ProfileRow } from '../store/profiles'

export const toProfile = (row: ProfileRow): Profile => ({
  member_id: row.id,
  job_title: row.job_title,
  time_zone: row.time_zone,
  joined_at: timestamp(row.created_at),
})
