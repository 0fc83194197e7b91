import type { Input } from '../contract'
import type { EmailChangeDetails, InviteDetails, LinkDetails, PageToken, ResetDetails } from '../contract/sessions'
import type { Viewer } from '../domain/permissions'
import { findOnlyWorkspace } from '../store/people/workspaces'
import { confirmEmail, inspectEmailChange, type PreparedEmailChange, prepareEmailChange } from './email-changes'
import { inspectInvite, type JoinRequest, joinByLink } from './invite-links'
import { inspectLink } from './links'
import { limitInvitations, requestMail, unsubscribe } from './mails'
import type { AccountParts } from './parts'
import { type PreparedPassword, type PreparedRemoval, preparePassword, prepareRemoval } from './passwords'
import { inspectReset, removePasswordOf, resetPassword } from './recovery'
import { type Browser, findSessionViewer, pageTokenFor, type Started, signOut } from './sessions'
import { type Proof, signIn } from './sign-in'

/**
 * Who someone is: signing in and out, sessions, links, passwords, addresses. It keeps the promises of the gate: limits come
 * before work, and what a request proved is checked again in its transaction, under the lock.
 */
export interface Accounts {
  signIn(browser: Browser, proof: Proof): Promise<Started>
  /** Ends the session with this secret, if there is one. */
  signOut(secret: string | undefined): Promise<void>
  /** A token for the pages of a session; `renewedUntil` is set if the session was extended. */
  pageToken(secret: string | undefined): Promise<PageToken & { renewedUntil?: number }>
  /** The member whose session has this secret. Throws if there is none. */
  viewerOf(secret: string | undefined): Promise<Viewer>
  /** Whom a sign-in link is for. This does not use the link. */
  inspectLink(secret: string): Promise<LinkDetails>
  /** What an invite link leads to, or the secret of a mail that confirms an address. This does not use either. */
  inspectInvite(secret: string): Promise<InviteDetails>
  /** Joins by one of these; undefined where a mail has to be confirmed first. */
  join(browser: Browser, request: JoinRequest): Promise<Started | undefined>
  requestMail(kind: 'password_reset' | 'sign_in_link', email: string, address: string): Promise<void>
  /** Sets the password of the person who has the link; without one, it only says whose it is. */
  resetPassword(link: string, password: string | undefined): Promise<ResetDetails>
  /** Removes the password of the person with this address everywhere, for the operator. Returns in how many workspaces. */
  removePasswordOf(email: string): Promise<number>
  /** Changes the address that the link is about; unless confirmed, it only says what would change. */
  confirmEmail(link: string, confirm: boolean): Promise<EmailChangeDetails>
  /** Turns off mails about what is unread; unless confirmed, it only says in which workspace. Undefined for unknown tokens. */
  unsubscribe(token: string, confirm: boolean): Promise<{ workspace_name: string } | undefined>
  /** What the sign-in page shows: the workspace of this server, if there is only one. */
  findOnlyWorkspace(): Promise<{ name: string; iconUrl: string | null } | undefined>

  // What operations prove, hash or count before their transaction: see `preparations` in gate/write.ts.
  preparePassword(viewer: Viewer, input: Input<'me.setPassword'>): Promise<PreparedPassword>
  prepareRemoval(viewer: Viewer, input: Input<'me.deletePassword'>): Promise<PreparedRemoval>
  prepareEmailChange(viewer: Viewer, input: Input<'me.changeEmail'>): Promise<PreparedEmailChange>
  limitInvitations(viewer: Viewer, memberId: string): Promise<void>
}

export function openAccounts(parts: AccountParts): Accounts {
  const { engine, clock, links } = parts
  return {
    signIn: (browser, proof) => signIn(parts, browser, proof),
    signOut: (secret) => signOut(parts, secret),
    pageToken: (secret) => pageTokenFor(parts, secret),
    viewerOf: (secret) => engine.read((db) => findSessionViewer(db, secret, clock())),
    inspectLink: (secret) => inspectLink(parts, secret),
    inspectInvite: (secret) => inspectInvite(parts, secret),
    join: (browser, request) => joinByLink(parts, browser, request),
    requestMail: (kind, email, address) => requestMail(parts, kind, email, address),
    resetPassword: (link, password) =>
      password === undefined ? inspectReset(parts, link) : resetPassword(parts, link, password),
    removePasswordOf: (email) => removePasswordOf(parts, email),
    confirmEmail: (link, confirm) => (confirm ? confirmEmail(parts, link) : inspectEmailChange(parts, link)),
    unsubscribe: (token, confirm) => unsubscribe(parts, token, confirm),
    async findOnlyWorkspace() {
      const only = await engine.read(findOnlyWorkspace)
      return only && { name: only.name, iconUrl: links.icon(only.icon) }
    },
    preparePassword: (viewer, input) => preparePassword(parts, viewer, input),
    prepareRemoval: (viewer, input) => prepareRemoval(parts, viewer, input),
    prepareEmailChange: (viewer, input) => prepareEmailChange(parts, viewer, input),
    limitInvitations: (viewer, memberId) => limitInvitations(parts, viewer, memberId),
  }
}
