import { byId, type Cast, memberAuthor, newMember, shown } from './cast'
import type { Entries } from './entry'
import { admin, notApps } from './rules'

/** A link of someone new: a member has at most one. */
async function link(cast: Cast) {
  const member = await newMember(cast)
  const { id } = await cast.admin.members.createSignInLink({ member_id: member.id })
  return { id, member }
}

export const signInLinks: Entries<'signInLinks'> = {
  'signInLinks.list': { input: shown(link), rule: admin('workspace', { unseen: 'hidden', except: notApps }) },
  'signInLinks.delete': {
    input: byId(link),
    rule: admin('workspace', { except: notApps }),
    events: {
      'sign_in_link.revoked': async ({ cast, last }) => {
        const { id, member } = last as Awaited<ReturnType<typeof link>>
        return { id, member: await memberAuthor(cast, member.id) }
      },
    },
    again: 'not_found',
    random: 'none: links are not counted',
  },
}
