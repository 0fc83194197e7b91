import { createMembers, findChannelsOnJoining } from '../accounts/joining'
import { queueMail } from '../accounts/mails'
import { countNewcomers } from '../accounts/throttle'
import type { Input } from '../contract'
import { nameFromAddress, toAddress } from '../contract/browser/addresses'
import { invalidField } from '../contract/errors'
import { type Invitation, MAX_ADDED_AT_ONCE } from '../contract/invitations'
import type { Role } from '../contract/members'
import { type ActiveChannelRow, findActiveChannels } from '../store/content/channels'
import { findMembersByEmail, toMember } from '../store/people/members'
import type { WriteContext } from './context'

export async function create(context: WriteContext, { emails, role, channel_ids = [] }: Input<'invitations.create'>) {
  const { db, viewer, links, isMailConfigured } = context
  const chosen = await getChannelsToJoin(context, role, channel_ids)
  const given = distinct(emails)
  const addresses = given.flatMap((text) => toAddress(text) ?? [])
  const known = new Map((await findMembersByEmail(db, viewer.workspace.key, addresses)).map((row) => [row.email, row]))
  const newcomers = addresses
    .filter((email) => !known.has(email))
    .map((email) => ({ email, name: nameFromAddress(email), role }))
  const channels = await findChannelsOnJoining(context, role, chosen)
  requireFew(newcomers.length, channels.length)
  if (isMailConfigured && newcomers.length > 0)
    await countNewcomers(db, 'invited', viewer.workspace.id, newcomers.length, context.now)

  const created = new Map((await createMembers(context, newcomers, channels)).map((each) => [each.member.email, each]))
  if (isMailConfigured) for (const { author } of created.values()) await queueMail(context, 'invitation', author.key)
  return {
    data: given.map((text): Invitation => {
      const email = toAddress(text)
      if (email === undefined) return { email: text, status: 'invalid', member: null }
      const member = known.get(email)
      if (member) return { email, status: 'already_member', member: toMember(links, member) }
      return { email, status: 'invited', member: toMember(links, created.get(email)!.member) }
    }),
  }
}

/** What one request does holds up the other writes. */
function requireFew(people: number, channels: number) {
  if (people * channels <= MAX_ADDED_AT_ONCE) return
  throw invalidField(
    'channel_ids',
    `${people} people in ${channels} channels each, default channels included, are too many at once. Invite up to ${Math.floor(MAX_ADDED_AT_ONCE / channels)} people at a time, or choose fewer channels.`,
  )
}

/** Each address once, in the order given; of what is no address, each text. */
const distinct = (emails: readonly string[]) => [
  ...new Map(emails.map((each) => [toAddress(each) ?? each, each])).values(),
]

/** The channels that people of this role are about to join: ones that the caller can see. Guests need one. */
export async function getChannelsToJoin(
  { db, viewer }: Pick<WriteContext, 'db' | 'viewer'>,
  role: Role,
  ids: readonly string[],
  { hasOthers = false }: { hasOthers?: boolean } = {},
): Promise<ActiveChannelRow[]> {
  if (role === 'guest' && ids.length === 0 && !hasOthers)
    throw invalidField('channel_ids', 'Guests see only the channels they are added to. Choose at least one.')
  const found = new Map((await findActiveChannels(db, viewer, ids)).map((channel) => [channel.id, channel]))
  return ids.map((id) => {
    const channel = found.get(id)
    if (!channel) throw invalidField('channel_ids', `There is no channel ${id}, or you do not have access to it.`)
    return channel
  })
}
