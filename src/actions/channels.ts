import type { Input } from '../contract'
import { notFound, Problem } from '../contract/errors'
import { fold } from '../contract/fold'
import { toName } from '../domain/names'
import { canManage } from '../domain/permissions'
import { toAuthor } from '../records/authors'
import { toChannel } from '../records/channels'
import { findAuthor } from '../store/authors'
import {
  type ChannelRow,
  deleteChannelMember,
  findChannel,
  findChannelByName,
  findChannelToManage,
  insertChannel,
  insertChannelMember,
  isInChannel,
  listChannelMembers,
  listChannels,
  setChannel,
} from '../store/channels'
import type { ReadContext, WriteContext } from './context'
import { listOf } from './list'

export const list = listOf('channels.list', async ({ db, viewer }, { name, archived = false }, request) => {
  if (archived && !canManage(viewer)) throw new Problem('forbidden', 'Only admins may see archived channels.')
  const nameFold = name === undefined ? undefined : fold(name)
  const { found, total } = await listChannels(db, viewer, { nameFold, archived }, request)
  return { total, found, toRecord: toChannel }
})

export async function get({ db, viewer }: ReadContext, { id }: Input<'channels.get'>) {
  const channel = await findChannel(db, viewer, id)
  if (!channel) throw notFound('channel')
  return toChannel(channel)
}

export async function create(context: WriteContext, input: Input<'channels.create'>) {
  const { db, viewer, now, newId, announce } = context
  const name = await requireFreeName(context, input.name)

  const channel = await insertChannel(db, {
    id: newId('chan'),
    workspace_key: viewer.workspace.key,
    name,
    name_fold: fold(name),
    is_private: input.private ?? false,
    created_at: now,
  })
  await insertChannelMember(db, channel, viewer.author, now)
  const record = toChannel({ ...channel, members_count: 1 })
  announce('channel.created', record, { channel_key: channel.key })
  return record
}

export async function update(context: WriteContext, input: Input<'channels.update'>) {
  const channel = await getManagedChannel(context, input.id)
  const name = input.name === undefined ? channel.name : await requireFreeName(context, input.name, channel)
  const is_private = input.private ?? channel.is_private
  const archived_at =
    input.archived === undefined ? channel.archived_at : input.archived ? (channel.archived_at ?? context.now) : null
  if (name === channel.name && is_private === channel.is_private && archived_at === channel.archived_at)
    return toChannel(channel)

  if (is_private && !channel.is_private) await ensureInChannel(context, channel)
  const changed = await setChannel(context.db, channel, { name, name_fold: fold(name), is_private, archived_at })
  const isArchiving = channel.archived_at === null && archived_at !== null
  context.announce(isArchiving ? 'channel.deleted' : 'channel.updated', toChannel(changed), {
    channel_key: channel.key,
  })
  return toChannel(changed)
}

/** Who makes a channel private becomes a member of it: otherwise they could no longer see or manage it. */
async function ensureInChannel(context: WriteContext, channel: ChannelRow) {
  const { author } = context.viewer
  if (!(await isInChannel(context.db, channel.key, author.key))) await addAuthor(context, channel, author)
}

async function remove(context: WriteContext, { id }: Input<'channels.delete'>) {
  const channel = await getManagedChannel(context, id)
  if (channel.archived_at !== null) throw notFound('channel')

  await update(context, { id, archived: true })
  return undefined
}

export { remove as delete }

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

type NewChannelMember = Pick<WriteContext['viewer']['author'], 'key' | 'id' | 'card'>

async function addAuthor({ db, links, now, announce }: WriteContext, channel: ChannelRow, author: NewChannelMember) {
  await insertChannelMember(db, channel, author, now)
  const joined = toChannel({ ...channel, members_count: channel.members_count + 1 })
  announce(
    'channel.member_added',
    { channel: joined, member: toAuthor(links, author.card) },
    { channel_key: channel.key },
  )
}

export async function removeMember(context: WriteContext, { channel_id, member_id }: Input<'channels.removeMember'>) {
  const { channel, author } = await getChannelAndAuthor(context, channel_id, member_id)
  if (!(await isInChannel(context.db, channel.key, author.key))) throw notFound('member of this channel')
  if (channel.is_private && channel.members_count === 1)
    throw new Problem(
      'last_member',
      'Without anyone in it, nobody could see this private channel any more. Archive it instead.',
    )

  await deleteChannelMember(context.db, channel.key, author.key)
  const left = toChannel({ ...channel, members_count: channel.members_count - 1 })
  context.announce(
    'channel.member_removed',
    { channel: left, member: toAuthor(context.links, author.card) },
    { channel_key: channel.key },
  )
  return undefined
}

async function getChannelAndAuthor({ db, viewer }: WriteContext, channelId: string, memberId: string) {
  const channel = await findChannel(db, viewer, channelId)
  if (!channel) throw notFound('channel')
  const author = await findAuthor(db, viewer, memberId)
  if (!author) throw notFound('member or app')
  return { channel, author }
}

async function getManagedChannel({ db, viewer }: WriteContext, id: string): Promise<ChannelRow> {
  const channel = await findChannelToManage(db, viewer, id)
  if (!channel) throw notFound('channel')
  return channel
}

/** Returns the name as it is stored; throws if another channel has it. */
async function requireFreeName({ db, viewer }: WriteContext, given: string, own?: ChannelRow): Promise<string> {
  const name = given === own?.name ? given : toName('name', given)
  const holder = await findChannelByName(db, viewer.workspace.key, fold(name))
  if (holder && holder.key !== own?.key) throw new Problem('name_taken', `There is a channel named “${name}” already.`)
  return name
}
