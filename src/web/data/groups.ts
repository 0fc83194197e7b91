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
import { type Change, change, markStale } from './cache/records'
import { addingFirst, type ListedMember } from './channel-members'

const groupKey = (id: string) => [...keys.groups, 'one', id]
const membersKey = (id: string) => [...keys.groups, 'members', id]

/** All groups of the workspace, by name; none for guests. */
export const useGroups = () =>
  useShown<Group[]>({ queryKey: [...keys.groups, 'all'], queryFn: () => loadAll(parley.groups.list()) })

export const useGroup = (id: string) =>
  useShown<Group>({ queryKey: groupKey(id), queryFn: () => parley.groups.get({ id }) })

/** Who is in a group, most recently added first. */
export const useGroupMembers = (id: string) =>
  usePages<ListedMember>(membersKey(id), (after) =>
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

/** Adds someone to a group, or takes them out: shown at once, undone if the request fails. */
export async function addToGroup({ id, name }: Group, who: Author) {
  await changeMembership(addingFirst(membersKey(id), who), `Couldn't add ${who.name} to @${name}.`, () =>
    parley.groups.addMember({ group_id: id, member_id: who.id }),
  )
}

export async function removeFromGroup({ id, name }: Group, who: Author) {
  const removing = change<Pages<ListedMember>>(
    membersKey(id),
    (pages) => mapRecords(pages, (member) => (member.id === who.id ? undefined : member)) as Pages<ListedMember>,
  )
  await changeMembership(removing, `Couldn't remove ${who.name} from @${name}.`, () =>
    parley.groups.removeMember({ group_id: id, member_id: who.id }),
  )
}

async function changeMembership(shown: Change, failure: string, request: () => Promise<unknown>) {
  try {
    await optimistic([shown], request)
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
