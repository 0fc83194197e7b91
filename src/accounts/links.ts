import { Problem } from '../contract/errors'
import type { SignInLink } from '../contract/members'
import type { LinkDetails } from '../contract/sessions'
import { toAuthor } from '../domain/links'
import { hashSecret, newSecret } from '../domain/secrets'
import { timestamp } from '../domain/timestamps'
import * as store from '../store/accounts/links'
import type { ChangeContext } from '../store/changes/change'
import type { Reader, Writer } from '../store/engines/db'
import { findAuthor } from '../store/people/authors'
import type { AccountParts } from './parts'

const LIFETIME_MS = 7 * 24 * 60 * 60 * 1000

type LinkContext = Pick<ChangeContext, 'db' | 'links' | 'now' | 'viewer' | 'newId' | 'announce'>

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
  announce('sign_in_link.created', { id, member: toAuthor(links, author.stored) })
  return { id, url: `${links.base}/sign-in#token=${secret}`, expires_at: timestamp(expires_at) }
}

/** Ends the link of a member, if there is one. */
export async function endSignInLink(context: LinkContext, authorKey: number) {
  const { db, viewer, now } = context
  const open = await store.findOpenLinkOf(db, viewer.workspace.key, authorKey, now)
  if (open) await revokeSignInLink(context, open)
  else await store.deleteSignInLinkOf(db, authorKey)
}

export async function revokeSignInLink({ db, links, announce }: LinkContext, link: store.OpenLinkRow) {
  await store.deleteSignInLink(db, link.key)
  announce('sign_in_link.revoked', { id: link.id, member: toAuthor(links, link.member) })
}

/** Who a sign-in link is for. This does not use the link. */
export async function inspectLink({ engine, clock }: AccountParts, secret: string): Promise<LinkDetails> {
  const link = await engine.read((db) => getLink(db, secret, clock()))
  return {
    name: link.name,
    email: link.email,
    workspace: { slug: link.workspace_slug, name: link.workspace_name },
    expires_at: timestamp(link.expires_at),
  }
}

/** A link that an admin made, or one of a mail. Using one of a mail ends all that were mailed to the member. */
export async function getLink(db: Reader, secret: string, now: number) {
  const hash = hashSecret(secret)
  const made = await store.findSignInLink(db, hash, now)
  if (made) return { ...made, end: (writer: Writer) => store.deleteSignInLink(writer, made.key) }
  const mailed = await store.findAccountLink(db, 'sign_in', hash, now)
  if (!mailed) throw linkGone()
  return { ...mailed, end: (writer: Writer) => store.deleteMailedSignInLinksOf(writer, mailed.author_key) }
}

const linkGone = () => new Problem('link_gone', 'Sign-in links work once, for a limited time. Ask for a new one.')
