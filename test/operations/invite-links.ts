import { expect } from 'bun:test'
import type { InviteLink, InviteLinkNote } from '../../src/contract/invite-links'
import { byId, type Cast, sameId, shown } from './cast'
import type { Entries } from './entry'
import { admin, notApps } from './rules'

const link = ({ admin }: Cast) => admin.inviteLinks.create({ role: 'member', max_uses: 25 })

/** Everyone who reads the log sees neither the address nor the channels. */
const announced = ({ url: _, channel_ids: __, created_at: ___, ...note }: InviteLink): InviteLinkNote => note

const ofAdmins = admin('workspace', { except: notApps })

export const inviteLinks: Entries<'inviteLinks'> = {
  'inviteLinks.list': { input: shown(link), rule: admin('workspace', { unseen: 'hidden', except: notApps }) },
  'inviteLinks.create': {
    input: async () => ({ role: 'viewer', max_uses: 3 }),
    rule: admin('self', { except: notApps }),
    check: ({ url }) => expect(url).toMatch(/\/join#token=parley_[\w-]{43}$/),
    events: { 'invite_link.created': ({ output }) => announced(output) },
    again: 'same events',
    random: 'none: a workspace has few',
  },
  'inviteLinks.update': {
    input: async (cast) => ({ id: (await link(cast)).id, role: 'viewer', max_uses: null }),
    rule: ofAdmins,
    check(output, input) {
      sameId(output, input)
      expect([output.role, output.max_uses]).toEqual(['viewer', null])
    },
    events: { 'invite_link.updated': ({ output }) => announced(output) },
    again: 'no event',
    random: 'none: a workspace has few',
  },
  'inviteLinks.delete': {
    input: byId(link),
    rule: ofAdmins,
    events: { 'invite_link.revoked': ({ last }) => announced(last) },
    again: 'not_found',
    random: 'none: a workspace has few',
  },
}
