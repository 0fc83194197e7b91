import { createMember, joinDefaultChannels } from '../accounts/joining'
import { issueSignInLink } from '../accounts/links'
import { queueMail, requireMail } from '../accounts/mails'
import { endAccess } from '../accounts/passwords'
import { countNewcomers } from '../accounts/throttle'
import type { Input } from '../contract'
import { fold } from '../contract/browser/fold'
import { invalidField, notFound, Problem } from '../contract/errors'
import { roles as allRoles, type Profile, type Role } from '../contract/members'
import { avatarOf, isPicture } from '../domain/avatar'
import { toName } from '../domain/names'
import { seesPublic } from '../domain/permissions'
import { findAuthor, setAuthor } from '../store/people/authors'
import { searchMembers } from '../store/people/member-search'
import {
  findMember,
  findMemberByEmail,
  findOtherActiveAdmin,
  type MemberRow,
  memberRanges,
  readMembersPage,
  searchTextOf,
  setMember,
  toMember,
} from '../store/people/members'
import { findProfile, setProfile, toProfile } from '../store/people/profiles'
import { addToWorkspace, findCounts, memberCounter } from '../store/people/workspaces'
import type { ReadContext, WriteContext } from './context'
import { revokeInviteLinksOf } from './invite-links'
import { listOf } from './list'
import { refuseApps } from './sign-in-links'
import { disableWebhooksWithoutRights } from './webhook-access'

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

export const list = listOf('members.list', async (context, input, request) => {
  const { db, viewer, links, volatile } = context
  if (request.sort === 'last_seen_at') volatile()
  const text = input.q === undefined ? '' : fold(input.q)
  const roles = allRoles.filter((role) => input.roles?.includes(role) ?? true)

  if (text !== '' || !seesPublic(viewer)) return searchMembers(db, viewer, links.base, { roles, text }, request)
  const counts = await findCounts(db, viewer.workspace.key)
  return {
    total: roles.reduce((sum, role) => sum + counts[memberCounter[role]], 0),
    page: await readMembersPage(db, links.base, viewer, memberRanges(viewer, roles, request.sort), request),
  }
})

export async function sendInvitation(context: WriteContext, { member_id }: Input<'members.sendInvitation'>) {
  requireMail(context)
  const member = await findMember(context.db, context.viewer, member_id)
  if (!member) throw notFound('member')
  if (member.is_deactivated) throw new Problem('member_deactivated', `${member.name} is deactivated.`)

  await queueMail(context, 'invitation', member.author_key)
  return undefined
}

export async function get({ db, viewer, links }: ReadContext, { id }: Input<'members.get'>) {
  const member = await findMember(db, viewer, id)
  if (!member) throw notFound('member')
  return toMember(links, member)
}

export async function create(context: WriteContext, input: Input<'members.create'>) {
  const { db, viewer, links } = context
  const email = input.email.trim().toLowerCase()
  if (await findMemberByEmail(db, viewer.workspace.key, email))
    throw new Problem('email_taken', `${email} is already a member of this workspace.`)

  const name = toName('display_name', input.display_name)
  const { member, author } = await createMember(context, { email, name, role: input.role })
  if (context.isMailConfigured) {
    await countNewcomers(db, 'invited', viewer.workspace.id, 1, context.now)
    await queueMail(context, 'invitation', author.key)
  }
  return toMember(links, member)
}

export async function update(context: WriteContext, input: Input<'members.update'>) {
  const { db, viewer, links, announce } = context
  const member = await findMember(db, viewer, input.id)
  if (!member) throw notFound('member')
  const role = input.role ?? member.role
  const is_deactivated = input.is_deactivated ?? member.is_deactivated
  const name = chooseName(member, input.display_name)
  await keepAnAdmin(context, member, role === 'admin' && !is_deactivated)

  if (role !== member.role) await changeRole(context, member, role)
  if (name !== member.name) await rename(context, member, name)
  if (is_deactivated !== member.is_deactivated) await setMember(db, member.author_key, { is_deactivated })
  if (is_deactivated && !member.is_deactivated) await endAccess(context, member.author_key)
  const changed = toMember(links, { ...member, role, name, is_deactivated, avatar: chooseAvatar(member, name) })
  if (role !== member.role || name !== member.name) announce('member.updated', changed)
  if (member.role === 'guest' && role !== 'guest')
    await joinDefaultChannels(context, (await findAuthor(db, viewer, member.id))!)
  if (role === 'guest' && member.role !== 'guest')
    announce(
      'access.lost',
      { subject_type: 'workspace', subject_id: viewer.workspace.id, reason: 'role_changed' },
      { recipients: [member.author_key] },
    )
  if (is_deactivated !== member.is_deactivated)
    announce(is_deactivated ? 'member.deactivated' : 'member.reactivated', changed)
  if (role !== member.role || is_deactivated !== member.is_deactivated)
    await disableWebhooksWithoutRights(context, member.author_key)
  if (role !== 'admin' || is_deactivated) await revokeInviteLinksOf(context, member.author_key)
  return changed
}

async function keepAnAdmin({ db, viewer }: WriteContext, member: MemberRow, staysAdmin: boolean) {
  const isAdmin = member.role === 'admin' && !member.is_deactivated
  if (isAdmin && !staysAdmin && !(await findOtherActiveAdmin(db, viewer, member.author_key)))
    throw new Problem('last_admin', `${member.name} is the last active admin. Make someone else an admin first.`)
}

async function changeRole({ db, viewer }: WriteContext, member: MemberRow, role: Role) {
  await setMember(db, member.author_key, { role })
  await addToWorkspace(db, viewer.workspace.key, memberCounter[member.role], -1)
  await addToWorkspace(db, viewer.workspace.key, memberCounter[role], 1)
}

export async function createSignInLink(context: WriteContext, { member_id }: Input<'members.createSignInLink'>) {
  const { db, viewer } = context
  const member = await findMember(db, viewer, member_id)
  if (!member) throw notFound('member')
  refuseApps(viewer)
  if (member.is_deactivated) throw new Problem('member_deactivated', `${member.name} is deactivated.`)

  return issueSignInLink(context, member)
}

/** Renames a member, and announces it. */
export async function changeName(context: WriteContext, member: MemberRow, displayName: string): Promise<MemberRow> {
  const name = chooseName(member, displayName)
  if (name === member.name) return member
  await rename(context, member, name)
  const changed = { ...member, name, avatar: chooseAvatar(member, name) }
  context.announce('member.updated', toMember(context.links, changed))
  return changed
}

async function rename({ db }: WriteContext, member: MemberRow, name: string) {
  await setAuthor(db, member.author_key, { name, avatar: chooseAvatar(member, name) })
  await setMember(db, member.author_key, { search_text: searchTextOf(fold(name), fold(member.email)) })
}

/** An unchanged name is not validated: it may be older than the rules for names. */
const chooseName = ({ name }: MemberRow, given = name) => (given === name ? name : toName('display_name', given))

/** An uploaded picture stays; initials follow the name. */
const chooseAvatar = ({ avatar, id }: MemberRow, name: string) => (isPicture(avatar) ? avatar : avatarOf(id, name))
