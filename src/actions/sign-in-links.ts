import { revokeSignInLink } from '../accounts/links'
import type { Input } from '../contract'
import { notFound, Problem } from '../contract/errors'
import type { Viewer } from '../domain/permissions'
import { findOpenLink, listSignInLinks, toOpenSignInLink } from '../store/accounts/links'
import { findMember } from '../store/people/members'
import type { WriteContext } from './context'
import { listOf } from './list'

export const list = listOf('signInLinks.list', async ({ db, viewer, links, now }, { member_id }, request) => {
  refuseApps(viewer)
  const member = member_id === undefined ? undefined : await findMember(db, viewer, member_id)
  if (member_id !== undefined && !member) throw notFound('member')

  const { found, total } = await listSignInLinks(db, viewer, member?.author_key, now, request)
  return { total, found, toRecord: (row) => toOpenSignInLink(links, row) }
})

async function remove(context: WriteContext, { id }: Input<'signInLinks.delete'>) {
  const { db, viewer, now } = context
  refuseApps(viewer)
  const link = await findOpenLink(db, viewer.workspace.key, id, now)
  if (!link) throw notFound('sign-in link')

  await revokeSignInLink(context, link)
  return undefined
}

export { remove as delete }

/** A link gives full access as that member, which no app may have. */
export function refuseApps({ author }: Viewer) {
  if (author.type === 'app') throw new Problem('forbidden', 'Apps cannot create sign-in links. Ask an admin for one.')
}
