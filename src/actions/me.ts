import type { Input } from '../contract'
import type { Author } from '../contract/authors'
import { invalidField, Problem } from '../contract/errors'
import type { Me } from '../contract/me'
import { avatarOf, isPicture, newPictureName } from '../domain/avatar'
import type { Viewer } from '../domain/permissions'
import { toAuthor } from '../records/authors'
import { toMember } from '../records/members'
import { setAuthorName } from '../store/authors'
import type { Reader } from '../store/db'
import { findMember, type MemberRow } from '../store/members'
import * as passwords from '../store/passwords'
import { deletePicture, setPicture } from '../store/pictures'
import { findSessionsOf } from '../store/sessions'
import type { ReadContext, WriteContext } from './context'
import { changeName } from './members'
import { endSessions } from './sessions'

export const get = ({ db, viewer, links }: ReadContext, _: Input<'me.get'>): Promise<Me> =>
  toMe(db, viewer, toAuthor(links, viewer.author.card))

async function toMe(db: Reader, viewer: Viewer, author: Author): Promise<Me> {
  const { workspace, role, scopes } = viewer
  return {
    author,
    role,
    scopes: [...scopes],
    has_password: role === null ? null : (await passwords.findPassword(db, viewer.author.key)) !== undefined,
    workspace: { id: workspace.id, slug: workspace.slug, name: workspace.name },
  }
}

export async function update(context: WriteContext, { display_name }: Input<'me.update'>): Promise<Me> {
  const { db, viewer, links } = context
  const member = await self(context)

  const { id, name, avatar } = display_name === undefined ? member : await changeName(context, member, display_name)
  return toMe(db, viewer, { avatar_urls: links.avatar(avatar), name, id, type: 'member' })
}

export async function setAvatar(context: WriteContext, _: Input<'me.setAvatar'>) {
  const { db, viewer, now } = context
  const member = await self(context)
  const name = newPictureName()

  const owner = { workspace_key: viewer.workspace.key, author_key: member.author_key }
  await setPicture(db, { ...owner, name, created_at: now, image: context.prepared as Uint8Array })
  await showAs(context, member, name)
  return undefined
}

export async function deleteAvatar(context: WriteContext, _: Input<'me.deleteAvatar'>) {
  const { db, viewer } = context
  const member = await self(context)
  if (!isPicture(member.avatar)) return undefined

  await deletePicture(db, { workspace_key: viewer.workspace.key, author_key: member.author_key })
  await showAs(context, member, avatarOf(member.id, member.name))
  return undefined
}

async function showAs({ db, links, announce }: WriteContext, member: MemberRow, avatar: string) {
  await setAuthorName(db, member.author_key, member.name, avatar)
  announce('member.updated', toMember(links, { ...member, avatar }))
}

interface PreparedPassword {
  /** The hash of the one there was when the caller was asked for it. */
  before?: string
  hash: string
}

export async function setPassword(context: WriteContext, { password }: Input<'me.setPassword'>) {
  const { db, viewer, now } = context
  const member = await self(context)
  const { before, hash } = context.prepared as PreparedPassword
  if (password.trim().toLowerCase() === member.email)
    throw invalidField('password', 'It must not be your e-mail address.')
  await refuseOutdated(context, before)

  await passwords.setPassword(db, viewer.author.key, hash, now)
  context.announce('password.changed', { member: toAuthor(context.links, viewer.author.card) })
  const others = (await findSessionsOf(db, viewer)).filter(({ key }) => key !== viewer.sessionKey)
  await endSessions(context, others)
  return undefined
}

export async function deletePassword(context: WriteContext, _: Input<'me.deletePassword'>) {
  const { db, viewer, links, announce } = context
  await self(context)
  const { before } = context.prepared as PreparedPassword
  if (before === undefined) return undefined
  await refuseOutdated(context, before)

  await passwords.deletePassword(db, viewer.author.key)
  announce('password.removed', { member: toAuthor(links, viewer.author.card) })
  return undefined
}

/** Two changes at once: the second knew another password. */
async function refuseOutdated({ db, viewer }: WriteContext, before: string | undefined) {
  if ((await passwords.findPassword(db, viewer.author.key)) !== before)
    throw invalidField('current_password', 'The password was changed meanwhile.')
}

async function self({ db, viewer }: WriteContext): Promise<MemberRow> {
  const member = viewer.role === null ? undefined : await findMember(db, viewer, viewer.author.id)
  if (!member) throw new Problem('forbidden', 'Apps have no account of their own; admins manage them.')
  return member
}
