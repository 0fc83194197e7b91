import { enterChannel, type JoinedAuthor } from '../accounts/joining'
import { countCreatedChannel } from '../accounts/throttle'
import type { Input } from '../contract'
import { fold } from '../contract/browser/fold'
import { MAX_CHANNELS, MAX_DEFAULT_CHANNELS } from '../contract/channels'
import { invalidField, notFound, Problem } from '../contract/errors'
import type { Author } from '../contract/shapes'
import { toAuthor } from '../domain/links'
import { toName, toTitle } from '../domain/names'
import { canCreateChannels, canManage, canManageChannel, seesPublic } from '../domain/permissions'
import { closeLinksToChannel } from '../store/accounts/invite-links'
import {
  deleteChannelMember,
  hasOtherReaders,
  insertChannelMember,
  isInChannel,
  listChannelMembers,
} from '../store/content/channel-members'
import {
  type ActiveChannelRow,
  type ChannelChanges,
  type ChannelRow,
  countActiveChannels,
  countDefaultChannels,
  findActiveChannel,
  findChannel,
  findChannelByName,
  findChannelToManage,
  insertChannel,
  listChannels,
  listChannelsOf,
  setChannel,
  toChannel,
} from '../store/content/channels'
import { findAuthor } from '../store/people/authors'
import { findMemberViewer } from '../store/people/members'
import { getWorkspace } from '../store/people/workspaces'
import { announceLostAccess } from './access'
import type { ReadContext, WriteContext } from './context'
import { listOf } from './list'
import { forgetLeftChannel } from './sidebar'

/** Who writes a post in a public channel is in it from then on. Apps and incoming webhooks are not. */
export async function joinByWriting(context: WriteContext, channel: ChannelRow) {
  const { db, viewer } = context
  if (viewer.author.type === 'app' || channel.is_private || (await isInChannel(db, channel.key, viewer.author.key)))
    return
  await enterChannel(context, (await findActiveChannel(db, viewer, channel.id))!, viewer.author, [viewer.author.key])
}

/** Makes the caller a member. Who makes a channel private becomes a member of it: otherwise they could no longer see or manage it. */
async function ensureInChannel(context: WriteContext, channel: ActiveChannelRow) {
  const { author } = context.viewer
  if (!(await isInChannel(context.db, channel.key, author.key)))
    await enterChannel(context, channel, author, [author.key])
}

export const members = listOf('channels.members', async ({ db, viewer, links }, { channel_id }, request) => {
  const channel = await findChannel(db, viewer, channel_id)
  if (!channel) throw notFound('channel')

  const listed = await listChannelMembers(db, channel, request)
  return { ...listed, toRecord: (row) => toAuthor(links, row.author) }
})

export async function addMember(context: WriteContext, { channel_id, member_id }: Input<'channels.addMember'>) {
  const { channel, author } = await getChannelAndAuthor(context, channel_id, member_id)
  if (await isInChannel(context.db, channel.key, author.key)) return undefined

  await enterChannel(context, channel, author, [author.key])
  return undefined
}

export async function removeMember(context: WriteContext, { channel_id, member_id }: Input<'channels.removeMember'>) {
  const { channel, author } = await getChannelAndAuthor(context, channel_id, member_id)
  if (!(await isInChannel(context.db, channel.key, author.key))) throw notFound('member of this channel')

  await removeAuthor(context, channel, author)
  return undefined
}

/** Takes someone out of a channel they are in. */
async function removeAuthor(context: WriteContext, channel: ActiveChannelRow, author: JoinedAuthor) {
  if (channel.is_private && !(await hasOtherReaders(context.db, channel.key, author.key)))
    throw new Problem(
      'last_member',
      'Without anyone in it, nobody could see this private channel any more. Archive it instead.',
    )

  const member = await takeOut(context, channel, author)
  if (channel.is_private || !(await seesPublicChannels(context, author, member.type)))
    announceLostAccess(context, { type: 'channel', id: channel.id }, { key: author.key, type: member.type })
}

async function takeOut(context: WriteContext, channel: ActiveChannelRow, author: JoinedAuthor) {
  const { db, links, announce } = context
  await deleteChannelMember(db, channel.key, author.key)
  const left = toChannel({ ...channel, members_count: channel.members_count - 1 })
  const member = toAuthor(links, author.stored)
  announce('channel.member_removed', { channel: left, member }, { channel_key: channel.key })
  await forgetLeftChannel(context, author.key, channel)
  return member
}

/** Takes an app that is deleted out of all its channels. */
export async function leaveAllChannels(context: WriteContext, author: JoinedAuthor) {
  const channels = await listChannelsOf(context.db, context.viewer.workspace.key, author.key)
  for (const channel of channels) await takeOut(context, channel, author)
}

const seesPublicChannels = async ({ db }: WriteContext, { key }: JoinedAuthor, type: Author['type']) =>
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
  await requireManager(context, channel)
  const author = await findAuthor(db, viewer, memberId)
  if (!author) throw notFound('member or app')
  return { channel, author }
}

export const list = listOf(
  'channels.list',
  async ({ db, viewer }, { name, q, archived = false, joined, default: isDefault }, request) => {
    if (archived && !canManage(viewer)) throw new Problem('forbidden', 'Only admins can see archived channels.')
    const filter = { nameFold: name && fold(name), textFold: q && fold(q), archived, joined, isDefault }
    const { found, total } = await listChannels(db, viewer, filter, request)
    return { total, found, toRecord: toChannel }
  },
)

export async function get({ db, viewer }: ReadContext, { id }: Input<'channels.get'>) {
  const channel = await findActiveChannel(db, viewer, id)
  if (!channel) throw notFound('channel')
  return toChannel(channel)
}

export async function create(context: WriteContext, input: Input<'channels.create'>) {
  const { db, viewer, now, newId, announce } = context
  await requireCreator(context, input)
  const name = await requireFreeName(context, input.name)
  await requireRoom(context)
  if (input.default) await requireRoomForDefault(context)
  if (viewer.role !== 'admin' && !canManage(viewer)) await countCreatedChannel(db, viewer.author.id, now)

  const channel = await insertChannel(db, {
    id: newId('chan'),
    workspace_key: viewer.workspace.key,
    name,
    name_fold: fold(name),
    description: toTitle(input.description ?? ''),
    is_private: input.private ?? false,
    is_default: input.default ?? false,
    creator_id: viewer.author.id || null,
    created_at: now,
  })
  await insertChannelMember(db, channel, viewer.author, now)
  const record = toChannel({ ...channel, members_count: 1, last_activity_at: null })
  announce('channel.created', record, { channel_key: channel.key })
  return record
}

async function requireCreator({ db, viewer }: WriteContext, input: Input<'channels.create'>) {
  if (input.private && input.default) throw privateDefault()
  if (canManage(viewer)) return
  const { is_channel_creation_open } = await getWorkspace(db, viewer.workspace.key)
  if (!canCreateChannels(viewer, { members_create_channels: is_channel_creation_open }))
    throw new Problem('forbidden', 'Only admins can create channels here. Ask one of them for it.')
  if (input.private || input.default)
    throw new Problem('forbidden', 'Only admins can create private and default channels. Ask one of them for it.')
}

async function requireRoom({ db, viewer }: WriteContext) {
  if ((await countActiveChannels(db, viewer.workspace.key)) < MAX_CHANNELS) return
  throw new Problem(
    'too_many_channels',
    `A workspace can have at most ${MAX_CHANNELS.toLocaleString('en')} channels. An admin can archive those that nobody needs.`,
  )
}

async function requireRoomForDefault({ db, viewer }: WriteContext) {
  if ((await countDefaultChannels(db, viewer.workspace.key)) < MAX_DEFAULT_CHANNELS) return
  throw invalidField('default', `A workspace can have at most ${MAX_DEFAULT_CHANNELS} default channels.`)
}

const privateDefault = () => invalidField('default', 'A private channel cannot be a default channel.')

export async function update(context: WriteContext, input: Input<'channels.update'>) {
  const channel = await getManagedChannel(context, input.id)
  const name = input.name === undefined ? channel.name : await requireFreeName(context, input.name, channel)
  const description = input.description === undefined ? channel.description : toTitle(input.description)
  const is_private = input.private ?? channel.is_private
  const archived_at =
    input.archived === undefined ? channel.archived_at : input.archived ? (channel.archived_at ?? context.now) : null
  const is_default = input.default ?? (channel.is_default && !is_private)
  if (is_private && is_default) throw privateDefault()
  const changes = {
    ...{ name, name_fold: fold(name), description, is_private, is_default },
    ...{ archived_at, updated_at: context.now },
  }
  requireRightTo(context, channel, changes)
  if (!changesAnything(channel, changes)) return toChannel(channel)
  if (channel.archived_at !== null && archived_at === null) await requireRoom(context)
  if (is_default && !channel.is_default) await requireRoomForDefault(context)

  if (is_private && !channel.is_private) {
    await ensureInChannel(context, channel)
    await closeLinksToChannel(context.db, channel)
  }
  const { last_activity_at } = channel
  const changed = toChannel({ ...(await setChannel(context.db, channel, changes)), last_activity_at })
  const isArchiving = channel.archived_at === null && archived_at !== null
  context.announce(isArchiving ? 'channel.deleted' : 'channel.updated', changed, { channel_key: channel.key })
  // Also if it was archived: a client that has not read that event yet could no longer read it.
  if (is_private && !channel.is_private)
    context.announce(
      'access.lost',
      { subject_type: 'channel', subject_id: channel.id, reason: 'made_private' },
      { channel_key: channel.key },
    )
  return changed
}

const changesAnything = (channel: ChannelRow, changes: ChannelChanges) =>
  changes.name !== channel.name || changes.description !== channel.description || changesAccess(channel, changes)

/** Whether it changes who can see a channel, or who is in it by default. */
const changesAccess = (channel: ChannelRow, { is_private, is_default, archived_at }: ChannelChanges) =>
  is_private !== channel.is_private || is_default !== channel.is_default || archived_at !== channel.archived_at

function requireRightTo({ viewer }: WriteContext, channel: ChannelRow, changes: ChannelChanges) {
  if (changesAccess(channel, changes) && !canManage(viewer))
    throw new Problem(
      'forbidden',
      'Only admins can archive a channel, or make it private, public or a default channel.',
    )
}

async function remove(context: WriteContext, { id }: Input<'channels.delete'>) {
  const channel = await getManagedChannel(context, id)
  if (channel.archived_at !== null) throw notFound('channel')

  await update(context, { id, archived: true })
  return undefined
}

export { remove as delete }

async function getManagedChannel(context: WriteContext, id: string): Promise<ActiveChannelRow> {
  const { db, viewer } = context
  const channel = await findChannelToManage(db, viewer, id)
  // Only admins know of archived channels.
  if (!channel || (channel.archived_at !== null && !canManage(viewer))) throw notFound('channel')
  await requireManager(context, channel)
  return channel
}

async function requireManager({ db, viewer }: WriteContext, channel: ActiveChannelRow) {
  if (canManageChannel(viewer, channel, await isInChannel(db, channel.key, viewer.author.key))) return
  throw new Problem(
    'forbidden',
    'Only admins can do this, and the member who created the channel while they are in it.',
  )
}

/** Returns the name as it is stored; throws if another channel has it. */
async function requireFreeName({ db, viewer }: WriteContext, given: string, own?: ChannelRow): Promise<string> {
  const name = given === own?.name ? given : toName('name', given)
  const holder = await findChannelByName(db, viewer.workspace.key, fold(name))
  if (holder && holder.key !== own?.key) throw new Problem('name_taken', `There is already a channel named “${name}”.`)
  return name
}
