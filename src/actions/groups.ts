import type { Input } from '../contract'
import { fold } from '../contract/browser/fold'
import { kindOf } from '../contract/browser/kinds'
import { invalidField, notFound, Problem } from '../contract/errors'
import { type Group, MAX_GROUP_MEMBERS, MAX_GROUPS } from '../contract/groups'
import { toAuthor } from '../domain/links'
import { isReservedHandle, toHandle, toTitle } from '../domain/names'
import { seesPublic } from '../domain/permissions'
import { findAuthor } from '../store/people/authors'
import {
  countGroups,
  deleteGroup,
  deleteGroupMember,
  findGroup,
  findGroupByName,
  type GroupRow,
  insertGroup,
  insertGroupMember,
  isInGroup,
  listGroupMembers,
  listGroups,
  setGroup,
  toGroup,
} from '../store/people/groups'
import type { ReadContext, WriteContext } from './context'
import { EMPTY_LIST, listOf } from './list'

export const list = listOf('groups.list', async ({ db, viewer }, { q }, request) => {
  if (!seesPublic(viewer)) return EMPTY_LIST
  const { found, total } = await listGroups(db, viewer, q && fold(q), request)
  return { total, found, toRecord: toGroup }
})

export const get = async (context: ReadContext, { id }: Input<'groups.get'>): Promise<Group> =>
  toGroup(await getGroup(context, id))

async function getGroup({ db, viewer }: Pick<ReadContext | WriteContext, 'db' | 'viewer'>, id: string) {
  const group = await findGroup(db, viewer, id)
  if (!group) throw notFound('group')
  return group
}

export async function create(context: WriteContext, input: Input<'groups.create'>) {
  const { db, viewer, now, newId, announce } = context
  const name = await requireFreeName(context, input.name)
  if ((await countGroups(db, viewer)) >= MAX_GROUPS)
    throw new Problem('too_many_groups', `A workspace can have at most ${MAX_GROUPS} groups. Delete one first.`)

  const row = await insertGroup(db, {
    id: newId('group'),
    workspace_key: viewer.workspace.key,
    name,
    name_fold: fold(name),
    description: toTitle(input.description ?? ''),
    created_at: now,
  })
  const group = toGroup(row)
  announce('group.created', group)
  return group
}

export async function update(context: WriteContext, input: Input<'groups.update'>) {
  const group = await getGroup(context, input.id)
  const name = input.name === undefined ? group.name : await requireFreeName(context, input.name, group)
  const description = input.description === undefined ? group.description : toTitle(input.description)
  if (name === group.name && description === group.description) return toGroup(group)

  const changes = { name, name_fold: fold(name), description, updated_at: context.now }
  const changed = toGroup(await setGroup(context.db, group.key, changes))
  context.announce('group.updated', changed)
  return changed
}

async function remove(context: WriteContext, { id }: Input<'groups.delete'>) {
  const group = await getGroup(context, id)

  await deleteGroup(context.db, group.key)
  context.announce('group.deleted', toGroup(group))
  return undefined
}

export { remove as delete }

/** Returns the name as it is stored; throws if it is no handle, or another group has it. */
async function requireFreeName({ db, viewer }: WriteContext, given: string, own?: GroupRow): Promise<string> {
  const name = toHandle('name', given)
  if (isReservedHandle(name)) throw invalidField('name', `“${name}” has another meaning after @. Choose another name.`)
  const holder = await findGroupByName(db, viewer.workspace.key, fold(name))
  if (holder && holder.key !== own?.key) throw new Problem('name_taken', `There is already a group named “${name}”.`)
  return name
}

export const members = listOf('groups.members', async (context, { group_id }, request) => {
  const group = await getGroup(context, group_id)
  const listed = await listGroupMembers(context.db, group, request)
  return { ...listed, toRecord: (row) => toAuthor(context.links, row.author) }
})

export async function addMember(context: WriteContext, input: Input<'groups.addMember'>) {
  const { group, member } = await getGroupAndMember(context, input)
  if (await isInGroup(context.db, group.key, member.key)) return undefined
  if (group.members_count >= MAX_GROUP_MEMBERS)
    throw new Problem('too_many_members', `A group can have at most ${MAX_GROUP_MEMBERS.toLocaleString('en')} members.`)

  const changed = toGroup(await insertGroupMember(context.db, group, member, context.now))
  context.announce('group.member_added', { group: changed, member: toAuthor(context.links, member.stored) })
  return undefined
}

export async function removeMember(context: WriteContext, input: Input<'groups.removeMember'>) {
  const { group, member } = await getGroupAndMember(context, input)
  if (!(await isInGroup(context.db, group.key, member.key))) throw notFound('member of this group')

  const changed = toGroup(await deleteGroupMember(context.db, group.key, member.key))
  context.announce('group.member_removed', { group: changed, member: toAuthor(context.links, member.stored) })
  return undefined
}

async function getGroupAndMember(context: WriteContext, input: Input<'groups.addMember'>) {
  const group = await getGroup(context, input.group_id)
  const member = await findAuthor(context.db, context.viewer, input.member_id)
  if (!member || kindOf(member.id) !== 'member') throw notFound('member')
  return { group, member }
}
