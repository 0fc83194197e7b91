import { addToChannel, createMember } from '../accounts/joining'
import { queueMail } from '../accounts/mails'
import { countNewcomers } from '../accounts/throttle'
import type { Input } from '../contract'
import { nameFromAddress, toAddress } from '../contract/browser/addresses'
import { invalidField } from '../contract/errors'
import type { Invitation } from '../contract/invitations'
import type { Role } from '../contract/members'
import { type ActiveChannelRow, findActiveChannels } from '../store/content/channels'
import { findMemberByEmail, toMember } from '../store/people/members'
import type { WriteContext } from './context'

export async function create(context: WriteContext, { emails, role, channel_ids = [] }: Input<'invitations.create'>) {
  await getChannelsToJoin(context, role, channel_ids)
  const data: Invitation[] = []
  for (const given of distinct(emails)) data.push(await invite(context, given, role, channel_ids))
  const invited = data.filter(({ status }) => status === 'invited').length
  // Counted here, so that nothing of it is done if it is too many.
  if (context.isMailConfigured && invited > 0)
    await countNewcomers(context.db, 'invited', context.viewer.workspace.id, invited, context.now)
  return { data }
}

/** Each address once, in the order given; of what is no address, each text. */
const distinct = (emails: readonly string[]) => [
  ...new Map(emails.map((each) => [toAddress(each) ?? each, each])).values(),
]

async function invite(
  context: WriteContext,
  given: string,
  role: Role,
  channelIds: readonly string[],
): Promise<Invitation> {
  const { db, viewer, links } = context
  const email = toAddress(given)
  if (email === undefined) return { email: given, status: 'invalid', member: null }
  const known = await findMemberByEmail(db, viewer.workspace.key, email)
  if (known) return { email, status: 'already_member', member: toMember(links, known) }

  const { member, author } = await createMember(context, { email, name: nameFromAddress(email), role })
  // Again, for the number of members they have by now.
  for (const channel of await getChannelsToJoin(context, role, channelIds)) await addToChannel(context, channel, author)
  if (context.isMailConfigured) await queueMail(context, 'invitation', author.key)
  return { email, status: 'invited', member: toMember(links, member) }
}

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
