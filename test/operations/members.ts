import { expect } from 'bun:test'
import { roles } from '../../src/contract/members'
import { type Cast, memberAuthor, newEmail, newMember, sameId } from './cast'
import { type Entries, returned } from './entry'
import { admin, notApps, read, readList } from './rules'

const ofNewMember = async (cast: Cast) => ({ member_id: (await newMember(cast)).id })
const deactivatedMember = async (cast: Cast) =>
  cast.admin.members.update({ id: (await newMember(cast)).id, is_deactivated: true })

export const members: Entries<'members'> = {
  'members.list': { input: async ({ member }) => ({ shows: member.id }), rule: readList('people') },
  'members.get': { input: async ({ member }) => ({ id: member.id }), rule: read('people'), check: sameId },
  'members.getProfile': {
    input: async ({ member }) => ({ member_id: member.id }),
    rule: read('people'),
    check: ({ member_id }, input) => expect(member_id).toBe(input.member_id),
  },
  'members.create': {
    input: async () => ({ email: newEmail(), display_name: 'Eve', role: 'member' }),
    rule: admin('self'),
    check: ({ user }, { email }) => expect(user.email).toBe(email),
    events: { 'member.created': returned },
    again: 'email_taken',
    random: ({ name, pick }) => ({ email: newEmail(), display_name: name(), role: pick(roles) }),
  },
  'members.update': {
    input: async (cast) => ({ id: (await newMember(cast)).id, role: 'viewer' }),
    rule: admin('workspace'),
    check: ({ role }) => expect(role).toBe('viewer'),
    events: { 'member.updated': returned },
    again: 'no event',
    also: {
      'that deactivates': {
        input: async (cast) => ({ id: (await newMember(cast)).id, is_deactivated: true }),
        rule: admin('workspace'),
        events: { 'member.deactivated': returned },
        again: 'no event',
      },
      'that reactivates': {
        input: async (cast) => ({ id: (await deactivatedMember(cast)).id, is_deactivated: false }),
        rule: admin('workspace'),
        events: { 'member.reactivated': returned },
        again: 'no event',
      },
    },
    random: ({ one, members, pick, below, name }) => ({
      id: one(members),
      ...pick([{ role: pick(roles) }, { is_deactivated: below(3) === 0 }, { display_name: name() }]),
    }),
  },
  'members.createSignInLink': {
    input: ofNewMember,
    rule: admin('workspace', { except: notApps }),
    check: ({ url }) => expect(url).toMatch(/\/sign-in#token=parley_[\w-]{43}$/),
    events: {
      'sign_in_link.created': async ({ cast, input, output }) => ({
        id: output.id,
        member: await memberAuthor(cast, input.member_id),
      }),
    },
    again: ['sign_in_link.revoked', 'sign_in_link.created'],
    random: 'none: links are not counted',
  },
  'members.sendInvitation': {
    // A new member each time: few invitations are sent to one.
    input: ofNewMember,
    rule: admin('workspace'),
    events: {},
    again: 'same events',
    random: 'none: it sends a mail',
    unreachable: 'there is no mail server',
  },
}
