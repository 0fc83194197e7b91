import type { Input } from '../contract'
import type { Workspace } from '../contract/workspace'
import { avatarFile, newPictureName } from '../domain/avatar'
import type { StoredBytes } from '../domain/files'
import { toName } from '../domain/names'
import { deleteIcon as deleteIconOf, setIcon as setIconOf } from '../store/people/pictures'
import { getWorkspace, setWorkspace, toWorkspace, type WorkspaceChanges } from '../store/people/workspaces'
import type { ReadContext, WriteContext } from './context'

export const get = async ({ db, viewer, links }: ReadContext, _: Input<'workspace.get'>): Promise<Workspace> =>
  toWorkspace(links, await getWorkspace(db, viewer.workspace.key))

export async function update(context: WriteContext, input: Input<'workspace.update'>): Promise<Workspace> {
  const { db, viewer, links } = context
  const before = await getWorkspace(db, viewer.workspace.key)
  const given = input.name ?? before.name
  const name = given === before.name ? given : toName('name', given)
  const is_set_up = input.is_set_up ?? before.is_set_up
  const is_channel_creation_open = input.members_create_channels ?? before.is_channel_creation_open
  const channel_mentions = input.channel_mentions ?? before.channel_mentions
  const changes = { name, is_set_up, is_channel_creation_open, channel_mentions }
  const isSame = Object.entries(changes).every(([field, value]) => before[field as keyof typeof changes] === value)
  if (isSame) return toWorkspace(links, before)

  return change(context, changes)
}

export async function setIcon(context: WriteContext, _: Input<'workspace.setIcon'>) {
  const { db, viewer, now } = context
  const name = newPictureName()

  await setIconOf(db, { workspace_key: viewer.workspace.key, name, stored: context.prepared as StoredBytes }, now)
  await change(context, { icon: avatarFile(name) })
  return undefined
}

export async function deleteIcon(context: WriteContext, _: Input<'workspace.deleteIcon'>) {
  const { db, viewer, now } = context
  const { icon } = await getWorkspace(db, viewer.workspace.key)
  if (icon === null) return undefined

  await deleteIconOf(db, viewer.workspace.key, now)
  await change(context, { icon: null })
  return undefined
}

/** Changes the workspace, and announces it. */
async function change({ db, viewer, links, now, announce }: WriteContext, changes: WorkspaceChanges) {
  const workspace = toWorkspace(links, await setWorkspace(db, viewer.workspace.key, { ...changes, updated_at: now }))
  announce('workspace.updated', workspace)
  return workspace
}
