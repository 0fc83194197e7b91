import type { Input } from '../contract'
import { notFound, Problem } from '../contract/errors'
import type { SignInLink } from '../contract/members'
import { toAuthor } from '../domain/links'
import type { Viewer } from '../domain/permissions'
import { hashSecret, newSecret } from '../domain/secrets'
import { timestamp } from '../domain/timestamps'
import * as store from '../store/accounts/links'
import { toOpenSignInLink } from '../store/accounts/links'
import { findAuthor } from '../store/people/authors'
import { findMember } from '../store/people/members'
import type { WriteContext } from './context'
import { listOf } from './list'

const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000

export const list = listOf('signInLinks.list', async ({ db, viewer, links, now }, { member_id }, request) => {
  refuseApps(viewer)
  const member = member_id === undefined ? undefined : await findMember(db, viewer, member_id)
  if (member_id !== undefined && !member) throw notFound('member')

  const { found, total } = await store.listSignInLinks(db, viewer, member?.author_key, now, request)
  return { total, found, toRecord: (row) => toOpenSignInLink(links, row) }
})

async function remove(context: WriteContext, { id }: Input<'signInLinks.delete'>) {
  const { db, viewer, now } = context
  refuseApps(viewer)
  const link = await store.findOpenLink(db, viewer.workspace.key, id, now)
  if (!link) throw notFound('sign-in link')

  await revoke(context, link)
  return undefined
}

export { remove as delete }

/** A link gives full access as that member, which no app may have. */
export function refuseApps({ author }: Viewer) {
  if (author.type === 'app') throw new Problem('forbidden', 'Apps cannot create sign-in links. Ask an admin for one.')
}

type LinkContext = Pick<WriteContext, 'db' | 'links' | 'now' | 'viewer' | 'newId' | 'announce'>

/**
 * Creates a link that signs a member in once, within a week, and revokes the one before it. The secret is in the fragment
 * of the URL, which browsers do not send.
 */
export async function issueSignInLink(context: LinkContext, member: { id: string }): Promise<SignInLink> {
  const { db, links, now, viewer, newId, announce } = context
  const author = (await findAuthor(db, viewer, member.id))!
  await endSignInLink(context, author.key)
  const id = newId('link')
  const secret = newSecret()
  const expires_at = now + LIFETIME_MS
  await store.insertSignInLink(db, {
    id,
    hash: hashSecret(secret),
    workspace_key: viewer.workspace.key,
    author_key: author.key,
    created_by_key: viewer.author.key,
    created_at: now,
    expires_at,
  })
  announce('sign_in_link.created', { id, member: toAuthor(links, author.card) })
  return { id, url: `${links.base}/sign-in#token=${secret}`, expires_at: timestamp(expires_at) }
}

/** Ends the link of a member, if there is one. */
export async function endSignInLink(context: LinkContext, authorKey: number) {
  const { db, viewer, now } = context
  const open = await store.findOpenLinkOf(db, viewer.workspace.key, authorKey, now)
  if (open) await revoke(context, open)
  else await store.deleteSignInLinkOf(db, authorKey)
}

async function revoke({ db, links, announce }: LinkContext, link: store.OpenLinkRow) {
  await store.deleteSignInLink(db, link.key)
  announce('sign_in_link.revoked', { id: link.id, member: toAuthor(links, link.member) })
}
