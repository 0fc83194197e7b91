import Type, { type Static } from 'typebox'
import { operation } from './operation'
import { Author, Body, Id, listQuery, Page, Shape, Timestamp } from './shapes'

/** How many groups a workspace can have, and how many people a group. */
export const MAX_GROUPS = 500
export const MAX_GROUP_MEMBERS = 1_000

export const Group = Shape('Group', {
  id: Id,
  name: Type.String({ description: 'What people type after `@`.' }),
  description: Type.String({ description: 'Who is in it, as plain text; empty where nobody said.' }),
  members_count: Type.Integer({ minimum: 0, description: 'How many people are in it.' }),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type Group = Static<typeof Group>

export const GroupReference = Shape('GroupReference', { id: Id, name: Type.String() })

/** Who came into a group, or left it, and the group since then. */
export const GroupMembership = Shape('GroupMembership', { group: Group, member: Author })

const Name = Type.String({ minLength: 1, maxLength: 40 })
const Description = Type.String({ maxLength: 200 })

export const groups = {
  list: operation({
    method: 'GET',
    path: '/v2/groups',
    depends: 'content',
    perCaller: { guests: true },
    summary: 'List the groups of people.',
    description: `A workspace can have up to ${MAX_GROUPS}. Guests see none.`,
    access: 'read',
    query: listQuery(['name'], 'asc', {
      q: Type.Optional(
        Type.String({
          maxLength: 40,
          description: 'Only groups whose name contains this. Case and accents are ignored.',
        }),
      ),
    }),
    output: Page(Group),
    errors: ['invalid_cursor'],
  }),
  get: operation({
    method: 'GET',
    path: '/v2/groups/:id',
    depends: 'content',
    perCaller: { guests: true },
    summary: 'Get a group.',
    description: 'The record says how many people are in it.',
    access: 'read',
    params: Type.Object({ id: Id }),
    output: Group,
    errors: ['not_found'],
  }),
  create: operation({
    method: 'POST',
    path: '/v2/groups',
    summary: 'Create a group of people.',
    description:
      'Nobody is in it at first. The name has no spaces: letters, digits, `-` and `_`. No other group may have it, and `channel`, `here`, `everyone` and `all` are taken.',
    access: 'admin',
    body: Body({ name: Name, description: Type.Optional(Description) }),
    output: Group,
    status: 201,
    errors: ['name_taken', 'too_many_groups'],
  }),
  update: operation({
    method: 'PATCH',
    path: '/v2/groups/:id',
    summary: 'Rename or describe a group.',
    description:
      'Fields that are left out stay as they are. Texts that mention the group keep the name it had when they were written.',
    access: 'admin',
    params: Type.Object({ id: Id }),
    body: Body({ name: Type.Optional(Name), description: Type.Optional(Description) }),
    output: Group,
    errors: ['not_found', 'name_taken'],
  }),
  delete: operation({
    method: 'DELETE',
    path: '/v2/groups/:id',
    summary: 'Delete a group.',
    description: 'Texts that mention it stay as they are. Mentioning it again notifies nobody.',
    access: 'admin',
    params: Type.Object({ id: Id }),
    errors: ['not_found'],
  }),
  members: operation({
    method: 'GET',
    path: '/v2/groups/:group_id/members',
    depends: 'content',
    perCaller: { guests: true },
    summary: 'List who is in a group.',
    description: 'In the order in which they were added.',
    access: 'read',
    params: Type.Object({ group_id: Id }),
    query: listQuery(['created_at'], 'asc', {}),
    output: Page(Author),
    errors: ['not_found', 'invalid_cursor'],
  }),
  addMember: operation({
    method: 'PUT',
    path: '/v2/groups/:group_id/members/:member_id',
    summary: 'Add a member to a group.',
    description: `If they are in it already, nothing changes. It gives them access to nothing: where the group is mentioned, those are notified who can see it. A group has at most ${MAX_GROUP_MEMBERS.toLocaleString('en')} members, and no apps.`,
    access: 'admin',
    params: Type.Object({ group_id: Id, member_id: Id }),
    errors: ['not_found', 'too_many_members'],
  }),
  removeMember: operation({
    method: 'DELETE',
    path: '/v2/groups/:group_id/members/:member_id',
    summary: 'Remove a member from a group.',
    description: 'They are no longer notified where the group is mentioned.',
    access: 'admin',
    params: Type.Object({ group_id: Id, member_id: Id }),
    errors: ['not_found'],
  }),
}
