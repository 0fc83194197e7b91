import type { Input } from '../contract'
import { toDomain } from '../contract/browser/addresses'
import { invalidField, notFound, Problem } from '../contract/errors'
import { type InviteLink, MAX_INVITE_LINKS } from '../contract/invite-links'
import type { Viewer } from '../domain/permissions'
import { hashSecret, newSecret, type Vault } from '../domain/secrets'
import {
  countInviteLinks,
  deleteInviteLink,
  findInviteLink,
  findLinkChannels,
  type InviteLinkRow,
  insertInviteLink,
  type LinkChannel,
  listInviteLinks,
  listInviteLinksOf,
  renewInviteLink,
  setInviteLink,
  setLinkChannels,
  toInviteLink,
  toInviteLinkNote,
} from '../store/accounts/invite-links'
import type { ActiveChannelRow } from '../store/content/channels'
import type { ReadContext, WriteContext } from './context'
import { getChannelsToJoin } from './invitations'
import { listOf } from './list'

export const list = listOf('inviteLinks.list', async (context, _, request) => {
  const { db, viewer } = context
  refuseApps(viewer)
  const { found, total } = await listInviteLinks(db, viewer, request)
  const channels = await findLinkChannels(
    db,
    viewer,
    found.rows.map(({ key }) => key),
  )
  return { total, found, toRecord: (row) => show(context, row, channels) }
})

export async function create(context: WriteContext, input: Input<'inviteLinks.create'>): Promise<InviteLink> {
  const { db, viewer, links, now, newId, announce } = context
  refuseApps(viewer)
  const channels = await getChannelsToJoin(context, input.role, input.channel_ids ?? [])
  const limits = toLimits(context, input)
  if ((await countInviteLinks(db, viewer.workspace.key)) >= MAX_INVITE_LINKS)
    throw new Problem(
      'too_many_invite_links',
      `A workspace has at most ${MAX_INVITE_LINKS} invite links. Revoke one of them first.`,
    )

  const id = newId('inv')
  const secret = newSecret()
  const { key } = await insertInviteLink(db, {
    ...{ id, workspace_key: viewer.workspace.key, ...storedSecret(context, secret) },
    ...{ role: input.role, email_domain: null, max_uses: null, expires_at: null, ...limits },
    ...{ created_by_key: viewer.author.key, created_at: now },
  })
  await setLinkChannels(db, key, { replaced: [], chosen: channels, by: viewer.author.key })
  const row = await getLink(context, id)
  announce('invite_link.created', toInviteLinkNote(links, row))
  return showOne(context, row, secret)
}

const storedSecret = ({ vault }: WriteContext, secret: string) => ({
  hash: hashSecret(secret),
  secret: vault?.seal(secret) ?? null,
})

export async function update(context: WriteContext, input: Input<'inviteLinks.update'>): Promise<InviteLink> {
  const { db, viewer, links, announce } = context
  refuseApps(viewer)
  const link = await getLink(context, input.id)
  const before = await findLinkChannels(db, viewer, [link.key])
  const hasOthers = before.some(({ is_visible }) => !is_visible)
  const visible = before.filter(({ is_visible, is_archived }) => is_visible && !is_archived)
  const role = input.role ?? link.role
  const ids = input.channel_ids ?? visible.map(({ id }) => id)
  const channels = await getChannelsToJoin(context, role, ids, { hasOthers })
  const limits = toLimits(context, input)

  // A channel that became private since it was chosen counts as another one, but only for whoever chooses it again.
  const hasSameChannels =
    !input.channel_ids ||
    Bun.deepEquals(
      channels.map(({ key, is_private }) => `${key} ${is_private}`).sort(),
      visible.map(({ channel_key, is_chosen_private }) => `${channel_key} ${is_chosen_private}`).sort(),
    )
  const isSame =
    hasSameChannels &&
    role === link.role &&
    Object.entries(limits).every(([name, value]) => link[name as keyof typeof limits] === value)
  if (isSame) return showOne(context, link)
  await setInviteLink(db, link.key, { role, ...limits })
  if (input.channel_ids) {
    const replaced = before.filter(({ is_visible }) => is_visible).map(({ channel_key }) => channel_key)
    await setLinkChannels(db, link.key, { replaced, chosen: channels, by: viewer.author.key })
  }
  const secret = input.channel_ids && opensPrivateChannel(before, channels) ? newSecret() : undefined
  if (secret !== undefined) await renewInviteLink(db, link.key, storedSecret(context, secret))
  const changed = await getLink(context, link.id)
  announce('invite_link.updated', toInviteLinkNote(links, changed))
  return showOne(context, changed, secret)
}

/** Whether a link now leads to a private channel that it did not lead to: admins who are not in it may have the address. */
const opensPrivateChannel = (before: readonly LinkChannel[], channels: readonly ActiveChannelRow[]) =>
  channels.some(
    ({ key, is_private }) => is_private && !before.some((each) => each.channel_key === key && each.is_chosen_private),
  )

async function remove(context: WriteContext, { id }: Input<'inviteLinks.delete'>) {
  refuseApps(context.viewer)
  await revoke(context, await getLink(context, id))
  return undefined
}

export { remove as delete }

/** Called wherever someone may stop being an admin: what they let in by a link, they may not let in any more. */
export async function revokeInviteLinksOf(context: WriteContext, authorKey: number) {
  for (const link of await listInviteLinksOf(context.db, authorKey)) await revoke(context, link)
}

async function revoke({ db, links, announce }: WriteContext, link: InviteLinkRow) {
  await deleteInviteLink(db, link.key)
  announce('invite_link.revoked', toInviteLinkNote(links, link))
}

async function getLink({ db, viewer }: Pick<ReadContext, 'db' | 'viewer'>, id: string): Promise<InviteLinkRow> {
  const link = await findInviteLink(db, viewer.workspace.key, id)
  if (!link) throw notFound('invite link')
  return link
}

/** The limits that are given; those that are not stay as they are. */
function toLimits(
  { now, isMailConfigured }: WriteContext,
  { email_domain, max_uses, expires_at }: Pick<Input<'inviteLinks.create'>, 'email_domain' | 'max_uses' | 'expires_at'>,
) {
  const domain = email_domain && toDomain(email_domain)
  if (email_domain && domain === undefined)
    throw invalidField('email_domain', 'Must be a domain, such as acme.example.')
  // Without a mail that confirms it, everyone could claim an address of the domain.
  if (domain && !isMailConfigured)
    throw new Problem(
      'mail_not_configured',
      'E-mail is not set up on this server, so nobody’s address can be confirmed.',
    )
  const expiry = expires_at ? Date.parse(expires_at) : null
  if (expiry !== null && expiry <= now) throw invalidField('expires_at', 'Must be in the future.')
  return {
    ...(email_domain !== undefined && { email_domain: domain || null }),
    ...(max_uses !== undefined && { max_uses }),
    ...(expires_at !== undefined && { expires_at: expiry }),
  }
}

type ShowContext = Pick<ReadContext, 'db' | 'viewer' | 'links'> & { vault: Vault | undefined }

/** A new secret is given: without a key, it can be shown this once only. */
const showOne = async (context: ShowContext, link: InviteLinkRow, newSecret?: string) =>
  show(context, link, await findLinkChannels(context.db, context.viewer, [link.key]), newSecret)

/**
 * A link as this admin may have it. Its address would let them into every channel it leads to, so those who are not in a private one
 * of these do not get it.
 */
function show(
  { links, vault }: Pick<ShowContext, 'links' | 'vault'>,
  link: InviteLinkRow,
  all: readonly LinkChannel[],
  newSecret?: string,
) {
  const own = all.filter(({ link_key }) => link_key === link.key)
  const hidesOne = own.some(({ is_visible, is_chosen_private }) => !is_visible && is_chosen_private)
  const secret = hidesOne ? undefined : (newSecret ?? open(vault, link.secret))
  return toInviteLink(links, link, {
    url: secret === undefined ? null : urlOf({ links }, secret),
    channelIds: own.filter(({ is_visible, is_archived }) => is_visible && !is_archived).map(({ id }) => id),
  })
}

/** The secret is in the fragment of the URL, which browsers do not send. */
const urlOf = ({ links }: Pick<ShowContext, 'links'>, secret: string) => `${links.base}/join#token=${secret}`

function open(vault: Vault | undefined, sealed: string | null): string | undefined {
  try {
    return sealed === null ? undefined : vault?.open(sealed)
  } catch {
    // Encrypted with a key that this server no longer has.
    return undefined
  }
}

/** Whoever joins can do what no app may: sign in. */
function refuseApps({ author }: Viewer) {
  if (author.type === 'app')
    throw new Problem('forbidden', 'Apps cannot have invite links. They can invite people with POST /v2/invitations.')
}
