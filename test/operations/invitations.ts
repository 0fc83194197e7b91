import { expect } from 'bun:test'
import { roles } from '../../src/contract/members'
import { newEmail } from './cast'
import type { Entries } from './entry'
import { admin } from './rules'

export const invitations: Entries<'invitations'> = {
  'invitations.create': {
    input: async () => ({ emails: [newEmail(), 'nobody'], role: 'member' }),
    rule: admin('self'),
    check: ({ data }) => expect(data.map(({ status }) => status)).toEqual(['invited', 'invalid']),
    events: { 'member.created': ({ output }) => output.data[0]!.member! },
    again: 'no event',
    random: ({ pick, below }) => ({
      emails: Array.from({ length: 1 + below(3) }, newEmail),
      role: pick(roles.filter((role) => role !== 'guest')),
    }),
  },
}
