import { isOfDomain, nameFromAddress, toAddress } from '../contract/browser/addresses'
import { invalidField, Problem } from '../contract/errors'
import type { InviteDetails } from '../contract/sessions'
import { toName } from '../domain/names'
import type { Viewer } from '../domain/permissions'
import { hashSecret } from '../domain/secrets'
import * as store from '../store/accounts/invite-links'
import { insertUser } from '../store/accounts/passwords'
import { findSession } from '../store/accounts/sessions'
import { insertMail } from '../store/attention/mails'
import { type ChangeContext, changeWorkspace } from '../store/changes/change'
import { findActiveChannelByKey } from '../store/content/channels'
import type { Reader, Writer } from '../store/engines/db'
import { findActiveViewer, findMemberByEmail } from '../store/people/members'
import { lockWorkspaces } from '../store/people/workspaces'
import { addToChannel, createMember, type JoinedAuthor } from './joining'
import type { AccountParts } from './parts'
import { type Browser, type Started, startSession } from './sessions'
import { countNewcomers, throttleAttempt, throttleJoins, throttleMailsTo } from './throttle'

/** How long the secret in a mail confirms an address. */
export const CONFIRM_MS = 24 * 60 * 60 * 1000

/** Whoever wants to join: with the secret of an invite link and an address, or with the secret that was mailed to the address. */
export interface JoinRequest {
  link: string
  email?: string
  display_name?: string
}

/** What a link leads to. This does not use it. */
export const inspectInvite = (parts: AccountParts, secret: string): Promise<InviteDetails> =>
  parts.engine.read(async (db) => {
    const { link, email } = await getInvite(db, secret, parts.clock())
    return {
      workspace: { slug: link.workspace_slug, name: link.workspace_name },
      icon_url: parts.links.icon(link.workspace_icon),
      role: link.role,
      email_domain: link.email_domain,
      email: email ?? null,
      name: email === undefined ? null : nameFromAddress(email),
      is_mail_configured: parts.isMailConfigured ?? false,
    }
  })

/**
 * Joins by a link. Where mails can be sent, an address that is only claimed gets a mail, and nobody is let in: undefined. What is
 * returned is the same whether the server knows the address or not.
 */
export async function joinByLink(
  parts: AccountParts,
  browser: Browser,
  request: JoinRequest,
): Promise<Started | undefined> {
  const { engine, clock } = parts
  const { link, email } = await engine.read((db) => getInvite(db, request.link, clock()))
  if (email !== undefined) {
    const name = toName('display_name', request.display_name ?? nameFromAddress(email))
    return join(parts, browser, request.link, (db, current) => letIn(parts, db, current, name))
  }
  const claimed = toAddress(request.email ?? '')
  if (claimed === undefined) throw invalidField('email', 'Must be an e-mail address.')
  requireFitting(parts, link, claimed)
  const limits = throttleJoins(browser.address, link.id)
  if (parts.isMailConfigured) {
    await throttleAttempt(engine, [...limits, throttleMailsTo(claimed)], clock())
    await queueConfirmation(parts, request.link, claimed)
    return undefined
  }
  const name = toName('display_name', request.display_name ?? nameFromAddress(claimed))
  await throttleAttempt(engine, limits, clock())
  return join(parts, browser, request.link, (db, current) =>
    letUnknownIn(parts, db, { ...current, email: claimed }, name),
  )
}

interface Invite {
  link: store.OpenInviteLink
  /** The address that was mailed the secret; undefined for the secret of the link itself. */
  email?: string
}

async function getInvite(db: Reader, secret: string, now: number): Promise<Invite> {
  const hash = hashSecret(secret)
  const link = await store.findOpenInviteLink(db, hash, now)
  if (link) return { link }
  const pending = await store.findPendingJoin(db, hash, now)
  if (pending) return { link: pending, email: pending.email }
  throw linkGone()
}

const linkGone = () =>
  new Problem(
    'link_gone',
    'The invite link has expired, was used as often as it can be, or was revoked. Ask whoever sent it for a new one.',
  )

/** Also checked again when the address is confirmed: the link may have been changed meanwhile. */
function requireFitting({ isMailConfigured }: AccountParts, link: store.OpenInviteLink, email: string) {
  if (link.email_domain === null) return
  // Nobody could confirm that the address is theirs.
  if (!isMailConfigured)
    throw new Problem('mail_not_configured', 'This link needs e-mail, which is not set up on this server.')
  if (!isOfDomain(email, link.email_domain))
    throw invalidField('email', `Only addresses of ${link.email_domain} can join by this link.`)
}

/** Whether the address is known is looked up when the mail is written, so neither the response nor its time reveals it. */
async function queueConfirmation(parts: AccountParts, secret: string, email: string) {
  const now = parts.clock()
  await parts.engine.write(async (db) => {
    await lockWorkspaces(db, [(await getInvite(db, secret, now)).link.workspace_key])
    // Again under the lock: the link may have got a new address.
    const { link } = await getInvite(db, secret, now)
    await countNewcomers(db, 'joining', link.workspace_id, 1, now)
    const about = { workspace_key: link.workspace_key, author_key: 0, link_key: link.key }
    await insertMail(db, { id: parts.newId('mail', now), kind: 'join', address: email, ...about }, now)
  })
}

/** Lets someone in and signs them in, in one transaction: what was looked up before is looked up again under the lock. */
async function join(
  parts: AccountParts,
  browser: Browser,
  secret: string,
  enter: (db: Writer, invite: Invite) => Promise<number>,
): Promise<Started> {
  const { engine, clock } = parts
  const started = await engine.write(async (db) => {
    const now = clock()
    const { link } = await getInvite(db, secret, now)
    const before = browser.before ? await findSession(db, hashSecret(browser.before), now) : undefined
    // The workspace that the browser leaves, too: in the order of their keys, as everyone who signs in locks them.
    await lockWorkspaces(db, [link.workspace_key, before?.workspace_key ?? link.workspace_key])
    const authorKey = await enter(db, await getInvite(db, secret, now))
    return startSession(parts, db, browser, { authorKey, redeem: async () => {} })
  })
  for (const key of started.workspaceKeys) parts.notify(key)
  return started
}

/** Someone who has confirmed their address. It signs in nobody who is a member already, or was one and is deactivated. */
async function letIn(parts: AccountParts, db: Writer, { link, email }: Invite, name: string): Promise<number> {
  if (await findMemberByEmail(db, link.workspace_key, email!))
    throw new Problem('link_gone', `There is a member with the address ${email} already. Sign in instead.`)
  requireFitting(parts, link, email!)
  await store.deletePendingJoins(db, link.workspace_key, email!)
  return becomeMember(parts, db, link, { email: email!, name })
}

/**
 * Someone whose address nobody has confirmed. They get an account of their own or none: with an address that the server knows,
 * they could be taken for somebody else, in any workspace.
 */
async function letUnknownIn(parts: AccountParts, db: Writer, { link, email }: Invite, name: string): Promise<number> {
  requireFitting(parts, link, email!)
  await countNewcomers(db, 'joining', link.workspace_id, 1, parts.clock())
  const account = { id: parts.newId('user', parts.clock()), email: email!, created_at: parts.clock() }
  // Of two who claim the same address at once, one finds it taken.
  if (!(await insertUser(db, account)))
    throw new Problem(
      'email_taken',
      `${email} already has an account on this server. Sign in, or ask an admin of the workspace to invite you.`,
    )
  return becomeMember(parts, db, link, { email: email!, name })
}

async function becomeMember(
  parts: AccountParts,
  db: Writer,
  link: store.OpenInviteLink,
  { email, name }: { email: string; name: string },
): Promise<number> {
  const creator = (await findActiveViewer(db, link.created_by_key))!
  return changeWorkspace(parts, db, creator, async (context) => {
    if (!(await store.countUse(db, link.key))) throw linkGone()
    const { author } = await createMember(context, { email, name, role: link.role })
    await store.setJoinedBy(db, author.key, link.key)
    const added = await addToChannelsOf(context, link, author)
    // They would see nothing at all.
    if (link.role === 'guest' && added === 0) throw linkGone()
    context.announce(
      'invite_link.updated',
      store.toInviteLinkNote(context.links, { ...link, uses_count: link.uses_count + 1 }),
    )
    return author.key
  })
}

/**
 * Adds someone to the channels of a link, as those who chose them could do at this moment: not to one that was archived or made
 * private, nor to one that they cannot see any more. Returns how many.
 */
async function addToChannelsOf(context: ChangeContext, link: store.OpenInviteLink, author: JoinedAuthor) {
  const { db, viewer } = context
  const choosers = new Map<number, Viewer | undefined>([[link.created_by_key, viewer]])
  let added = 0
  for (const { channel_key, added_by_key, is_chosen_private } of await store.findLinkChannels(db, viewer, [link.key])) {
    if (!choosers.has(added_by_key)) choosers.set(added_by_key, await findActiveViewer(db, added_by_key))
    const chooser = choosers.get(added_by_key)
    const channel = chooser?.role === 'admin' && (await findActiveChannelByKey(db, chooser, channel_key))
    if (!channel || (channel.is_private && !is_chosen_private)) continue
    await addToChannel(context, channel, author)
    added++
  }
  return added
}
