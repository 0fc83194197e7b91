import type { Input } from '../../contract'
import type { Author } from '../../contract/authors'
import { notFound, Problem } from '../../contract/errors'
import { seesPublic } from '../../domain/permissions'
import { toAuthor } from '../../records/authors'
import { toChannel } from '../../records/channels'
import { setChannelReadOnJoining } from '../../store/attention/joining'
import { findAuthor } from '../../store/authors'
import {
  deleteChannelMember,
  hasOtherReaders,
  insertChannelMember,
  isInChannel,
  listChannelMembers,
} from '../../store/channel-members'
import { type ActiveChannelRow, findActiveChannel, findChannel, listChannelsOf } from '../../store/channels'
import { findMemberViewer } from '../../store/members'
import { announceLostAccess } from '../access'
import type { WriteContext } from '../context'
import { listOf } from '../list'

/** Makes the caller a member. Who makes a channel private becomes a member of it: otherwise they could no longer see or manage it. */
export async function ensureInChannel(context: WriteContext, channel: ActiveChannelRow) {
  const { author } = context.viewer
  if (!(await isInChannel(context.db, channel.key, author.key))) await addAuthor(context, channel, author)
}

export const members = listOf('channels.members', async ({ db, viewer, links }, { channel_id }, request) => {
  const channel = await findChannel(db, viewer, channel_id)
  if (!channel) throw notFound('channel')

  const found = await listChannelMembers(db, channel, request)
  return { total: channel.members_count, found, toRecord: (row) => toAuthor(links, row.author) }
})

export async function addMember(context: WriteContext, { channel_id, member_id }: Input<'channels.addMember'>) {
  const { channel, author } = await getChannelAndAuthor(context, channel_id, member_id)
  if (await isInChannel(context.db, channel.key, author.key)) return undefined

  await addAuthor(context, channel, author)
  return undefined
}

type ChannelMember = Pick<WriteContext['viewer']['author'], 'key' | 'id' | 'card'>

async function addAuthor(context: WriteContext, channel: ActiveChannelRow, author: ChannelMember) {
  const { db, links, now, announce } = context
  await insertChannelMember(db, channel, author, now)
  await setChannelReadOnJoining(db, channel, author.key, (await context.nextRevision()) - 1)
  const joined = toChannel({ ...channel, members_count: channel.members_count + 1 })
  announce(
    'channel.member_added',
    { channel: joined, member: toAuthor(links, author.card) },
    { channel_key: channel.key, mentioned: [author.key] },
  )
}

export async function removeMember(context: WriteContext, { channel_id, member_id }: Input<'channels.removeMember'>) {
  const { channel, author } = await getChannelAndAuthor(context, channel_id, member_id)
  if (!(await isInChannel(context.db, channel.key, author.key))) throw notFound('member of this channel')

  await removeAuthor(context, channel, author)
  return undefined
}

/** Takes someone out of a channel they are in. */
async function removeAuthor(context: WriteContext, channel: ActiveChannelRow, author: ChannelMember) {
  if (channel.is_private && !(await hasOtherReaders(context.db, channel.key, author.key)))
    throw new Problem(
      'last_member',
      'Without anyone in it, nobody could see this private channel any more. Archive it instead.',
    )

  const member = await takeOut(context, channel, author)
  if (channel.is_private || !(await seesPublicChannels(context, author, member.type)))
    announceLostAccess(context, { type: 'channel', id: channel.id }, { key: author.key, type: member.type })
}

async function takeOut({ db, links, announce }: WriteContext, channel: ActiveChannelRow, author: ChannelMember) {
  await deleteChannelMember(db, channel.key, author.key)
  const left = toChannel({ ...channel, members_count: channel.members_count - 1 })
  const member = toAuthor(links, author.card)
  announce('channel.member_removed', { channel: left, member }, { channel_key: channel.key })
  return member
}

/** Takes an app that is deleted out of all its channels. */
export async function leaveAllChannels(context: WriteContext, author: ChannelMember) {
  const channels = await listChannelsOf(context.db, context.viewer.workspace.key, author.key)
  for (const channel of channels) await takeOut(context, channel, author)
}

const seesPublicChannels = async ({ db }: WriteContext, { key }: ChannelMember, type: Author['type']) =>
  type === 'app' || seesPublic((await findMemberViewer(db, key))!)

export async function join(context: WriteContext, { channel_id }: Input<'channels.join'>) {
  const channel = await getActiveChannel(context, channel_id)

  await ensureInChannel(context, channel)
  return undefined
}

export async function leave(context: WriteContext, { channel_id }: Input<'channels.leave'>) {
  const channel = await getActiveChannel(context, channel_id)
  const { author } = context.viewer
  if (await isInChannel(context.db, channel.key, author.key)) await removeAuthor(context, channel, author)
  return undefined
}

async function getActiveChannel({ db, viewer }: WriteContext, id: string): Promise<ActiveChannelRow> {
  const channel = await findActiveChannel(db, viewer, id)
  if (!channel) throw notFound('channel')
  return channel
}

async function getChannelAndAuthor(context: WriteContext, channelId: string, memberId: string) {
  const { db, viewer } = context
  const channel = await getActiveChannel(context, channelId)
  const author = await findAuthor(db, viewer, memberId)
  if (!author) throw notFound('member or app')
  return { channel, author }
}
