import type { Input } from '../../contract'
import type { Group } from '../../contract/groups'
import type { Me } from '../../contract/me'
import type { Author } from '../../contract/shapes'
import { notifyProblem } from '../parts/notices'
import { keys } from './cache/keys'
import { mapRecords, type Pages } from './cache/lists'
import { optimistic, useShown } from './cache/optimistic'
import { loadAll, usePages } from './cache/pages'
import { parley } from './cache/parley'
import { change, markStale } from './cache/records'

const groupKey = (id: string) => [...keys.groups, 'one', id]
const membersKey = (id: string) => [...keys.groups, 'members', id]

/** All groups of the workspace, by name; none for guests. */
export const useGroups = () =>
  useShown<Group[]>({ queryKey: [...keys.groups, 'all'], queryFn: () => loadAll(parley.groups.list()) })

export const useGroup = (id: string) =>
  useShown<Group>({ queryKey: groupKey(id), queryFn: () => parley.groups.get({ id }) })

/** Someone in a group; pending until the server confirms. */
export type GroupMember = Author & { isPending?: boolean }

/** Who is in a group, most recently added first. */
export const useGroupMembers = (id: string) =>
  usePages<GroupMember>(membersKey(id), (after) =>
    parley.groups.members({ group_id: id, direction: 'desc', ...(after && { after }) }),
  )

export async function createGroup(input: Input<'groups.create'>): Promise<Group> {
  const group = await parley.groups.create(input)
  markStale(keys.groups)
  return group
}

/** Renames and describes a group. Throws what is wrong with either. */
export async function describeGroup({ id }: Group, changes: { name: string; description: string }) {
  await parley.groups.update({ id, ...changes })
  markStale(keys.groups)
}

export async function deleteGroup({ id, name }: Group) {
  try {
    await parley.groups.delete({ id })
  } catch (error) {
    notifyProblem(`Couldn't delete @${name}.`, error)
  }
  markStale(keys.groups)
}

const changeMembers = (id: string, edit: (members: Pages<GroupMember>) => Pages<GroupMember>) =>
  change<Pages<GroupMember>>(membersKey(id), edit)

/** Adds someone to a group, or takes them out: shown at once, undone if the request fails. */
export async function addToGroup({ id, name }: Group, who: Author) {
  const addFirst = (pages: Pages<GroupMember>) => {
    const [first, ...rest] = pages.pages
    if (!first || first.data.some((member) => member.id === who.id)) return pages
    return { ...pages, pages: [{ ...first, data: [{ ...who, isPending: true }, ...first.data] }, ...rest] }
  }
  await changeMembership(id, addFirst, `Couldn't add ${who.name} to @${name}.`, () =>
    parley.groups.addMember({ group_id: id, member_id: who.id }),
  )
}

export async function removeFromGroup({ id, name }: Group, who: Author) {
  const without = (pages: Pages<GroupMember>) =>
    mapRecords(pages, (member) => (member.id === who.id ? undefined : member)) as Pages<GroupMember>
  await changeMembership(id, without, `Couldn't remove ${who.name} from @${name}.`, () =>
    parley.groups.removeMember({ group_id: id, member_id: who.id }),
  )
}

async function changeMembership(
  id: string,
  edit: (pages: Pages<GroupMember>) => Pages<GroupMember>,
  failure: string,
  request: () => Promise<unknown>,
) {
  try {
    await optimistic([changeMembers(id, edit)], request)
  } catch (error) {
    notifyProblem(failure, error)
  }
  markStale(keys.groups)
}

/** Whether the member may mention everyone in a channel; the server decides. */
export const canMentionChannels = ({ role, workspace }: Me): boolean =>
  role === 'admin' || (role === 'member' && workspace.channel_mentions === 'members')

/** The groups that a mention being typed may mean. */
export const findGroups = async (query: string): Promise<Group[]> =>
  (await parley.groups.list(query ? { q: query.slice(0, MAX_NAME) } : {})).data

const MAX_NAME = 40
