import type { Input } from '../contract'
import { notFound, Problem } from '../contract/errors'
import { fold } from '../contract/fold'
import { toName, toTitle } from '../domain/names'
import { canManage } from '../domain/permissions'
import { toChannel } from '../records/channels'
import { insertChannelMember } from '../store/channel-members'
import {
  type ActiveChannelRow,
  type ChannelChanges,
  type ChannelRow,
  findActiveChannel,
  findChannelByName,
  findChannelToManage,
  insertChannel,
  listChannels,
  setChannel,
} from '../store/channels'
import { ensureInChannel } from './channels/members'
import type { ReadContext, WriteContext } from './context'
import { listOf } from './list'

export const list = listOf('channels.list', async ({ db, viewer }, { name, q, archived = false, joined }, request) => {
  if (archived && !canManage(viewer)) throw new Problem('forbidden', 'Only admins can see archived channels.')
  const filter = { nameFold: name && fold(name), textFold: q && fold(q), archived, joined }
  const { found, total } = await listChannels(db, viewer, filter, request)
  return { total, found, toRecord: toChannel }
})

export async function get({ db, viewer }: ReadContext, { id }: Input<'channels.get'>) {
  const channel = await findActiveChannel(db, viewer, id)
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
    description: toTitle(input.description ?? ''),
    is_private: input.private ?? false,
    created_at: now,
  })
  await insertChannelMember(db, channel, viewer.author, now)
  const record = toChannel({ ...channel, members_count: 1, last_activity_at: null })
  announce('channel.created', record, { channel_key: channel.key })
  return record
}

export async function update(context: WriteContext, input: Input<'channels.update'>) {
  const channel = await getManagedChannel(context, input.id)
  const name = input.name === undefined ? channel.name : await requireFreeName(context, input.name, channel)
  const description = input.description === undefined ? channel.description : toTitle(input.description)
  const is_private = input.private ?? channel.is_private
  const archived_at =
    input.archived === undefined ? channel.archived_at : input.archived ? (channel.archived_at ?? context.now) : null
  const changes = { name, name_fold: fold(name), description, is_private, archived_at, updated_at: context.now }
  if (!changesAnything(channel, changes)) return toChannel(channel)

  if (is_private && !channel.is_private) await ensureInChannel(context, channel)
  const { last_activity_at } = channel
  const changed = toChannel({ ...(await setChannel(context.db, channel, changes)), last_activity_at })
  const isArchiving = channel.archived_at === null && archived_at !== null
  context.announce(isArchiving ? 'channel.deleted' : 'channel.updated', changed, { channel_key: channel.key })
  // Also if it was archived: whoever did not hear of that yet would not hear of it now.
  if (is_private && !channel.is_private)
    context.announce(
      'access.lost',
      { subject_type: 'channel', subject_id: channel.id, reason: 'made_private' },
      { channel_key: channel.key },
    )
  return changed
}

const changesAnything = (channel: ChannelRow, { name, description, is_private, archived_at }: ChannelChanges) =>
  name !== channel.name ||
  description !== channel.description ||
  is_private !== channel.is_private ||
  archived_at !== channel.archived_at

async function remove(context: WriteContext, { id }: Input<'channels.delete'>) {
  const channel = await getManagedChannel(context, id)
  if (channel.archived_at !== null) throw notFound('channel')

  await update(context, { id, archived: true })
  return undefined
}

export { addMember, join, leave, members, removeMember } from './channels/members'
export { remove as delete }

async function getManagedChannel({ db, viewer }: WriteContext, id: string): Promise<ActiveChannelRow> {
  const channel = await findChannelToManage(db, viewer, id)
  if (!channel) throw notFound('channel')
  return channel
}

/** Returns the name as it is stored; throws if another channel has it. */
async function requireFreeName({ db, viewer }: WriteContext, given: string, own?: ChannelRow): Promise<string> {
  const name = given === own?.name ? given : toName('name', given)
  const holder = await findChannelByName(db, viewer.workspace.key, fold(name))
  if (holder && holder.key !== own?.key) throw new Problem('name_taken', `There is already a channel named “${name}”.`)
  return name
}
