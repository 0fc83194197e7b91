import Type, { type Static } from 'typebox'
import { Id, Nullable, Shape, Timestamp } from './page'

export const Profile = Shape('Profile', {
  member_id: Id,
  job_title: Nullable(Type.String()),
  time_zone: Nullable(Type.String(), 'A name of the IANA database, such as `Europe/Berlin`.'),
  joined_at: Timestamp,
})
export type Profile = Static<typeof Profile>

/** What members can change of their own profile. */
export const profileFields = {
  job_title: Type.Optional(Type.String({ maxLength: 100 })),
  time_zone: Type.Optional(Type.String({ maxLength: 100, description: 'A name of the IANA database.' })),
}
