import { expect } from 'bun:test'
import type { ErrorCode } from '../../src/contract/errors'
import type { Caller } from '../torture/matrix-callers'
import { byId, type Cast, memberAuthor, newMember, sameId, shown } from './cast'
import { type Entries, lastOf, returned } from './entry'
import { admin, read, readList } from './rules'

const newName = () => `g${crypto.randomUUID().slice(0, 8)}`
const group = ({ admin }: Cast) => admin.groups.create({ name: newName() })
const withNewMember = async (cast: Cast) => ({
  group_id: (await group(cast)).id,
  member_id: (await newMember(cast)).id,
})

/** Guests see no groups. */
const notGuests =
  <Answer extends ErrorCode | 'hidden'>(answer: Answer) =>
  ({ role }: Caller) =>
    role === 'guest' ? answer : undefined

/** Who has come or gone, and the group since then. */
const membership = async ({ cast, input }: { cast: Cast; input: { group_id: string; member_id: string } }) => ({
  group: await cast.admin.groups.get({ id: input.group_id }),
  member: await memberAuthor(cast, input.member_id),
})

const notCounted = 'none: nothing counts them'

export const groups: Entries<'groups'> = {
  'groups.list': { input: shown(group), rule: readList('workspace', { except: notGuests('hidden') }) },
  'groups.get': { input: byId(group), rule: read('workspace', { except: notGuests('not_found') }), check: sameId },
  'groups.create': {
    input: async () => ({ name: newName() }),
    rule: admin('self'),
    check: ({ name }, input) => expect(name).toBe(input.name),
    events: { 'group.created': returned },
    again: 'name_taken',
    random: notCounted,
  },
  'groups.update': {
    input: async (cast) => ({ id: (await group(cast)).id, name: newName() }),
    rule: admin('workspace'),
    check: ({ name }, input) => expect(name).toBe(input.name!),
    events: { 'group.updated': returned },
    again: 'no event',
    random: notCounted,
  },
  'groups.delete': {
    input: byId(group),
    rule: admin('workspace'),
    events: { 'group.deleted': lastOf },
    again: 'not_found',
    random: notCounted,
  },
  'groups.members': {
    async input(cast) {
      const { group_id, member_id } = await withNewMember(cast)
      await cast.admin.groups.addMember({ group_id, member_id })
      return { group_id, shows: member_id }
    },
    rule: read('workspace', { except: notGuests('not_found') }),
  },
  'groups.addMember': {
    input: withNewMember,
    rule: admin('workspace'),
    events: { 'group.member_added': membership },
    again: 'no event',
    random: notCounted,
  },
  'groups.removeMember': {
    async input(cast) {
      const input = await withNewMember(cast)
      await cast.admin.groups.addMember(input)
      return input
    },
    rule: admin('workspace'),
    events: { 'group.member_removed': membership },
    again: 'not_found',
    random: notCounted,
  },
}
