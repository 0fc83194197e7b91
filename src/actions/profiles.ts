import type { Input } from '../contract'
import { invalidField, notFound } from '../contract/errors'
import type { Profile } from '../contract/profiles'
import { toName } from '../domain/names'
import { toProfile } from '../records/profiles'
import { findProfile, setProfile } from '../store/profiles'
import type { ReadContext, WriteContext } from './context'

export async function getProfile({ db, viewer }: ReadContext, { member_id }: Input<'members.getProfile'>) {
  const profile = await findProfile(db, viewer, member_id)
  if (!profile) throw notFound('member')
  return toProfile(profile)
}

/** Changes the profile of the caller, who is a member. */
export async function changeProfile(context: WriteContext, input: Input<'me.updateProfile'>): Promise<Profile> {
  const { db, viewer, announce } = context
  const before = (await findProfile(db, viewer, viewer.author.id))!
  const job_title = input.job_title === undefined ? before.job_title : toJobTitle(input.job_title)
  const time_zone = input.time_zone === undefined ? before.time_zone : toTimeZone(input.time_zone)
  if (job_title === before.job_title && time_zone === before.time_zone) return toProfile(before)

  await setProfile(db, before.author_key, { job_title, time_zone })
  const profile = toProfile({ ...before, job_title, time_zone })
  announce('profile.updated', profile)
  return profile
}

const toJobTitle = (given: string) => (given.trim() ? toName('job_title', given) : null)

/** The time zone as the IANA database spells it. */
function toTimeZone(given: string): string | null {
  if (!given.trim()) return null
  // A zone is a place: an offset knows nothing of daylight saving time.
  if (/^[+-]/.test(given)) throw unknownTimeZone()
  try {
    return new Intl.DateTimeFormat('en', { timeZone: given }).resolvedOptions().timeZone
  } catch {
    throw unknownTimeZone()
  }
}

const unknownTimeZone = () => invalidField('time_zone', 'Must be an IANA time zone, such as Europe/Berlin.')
