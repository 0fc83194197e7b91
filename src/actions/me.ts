import { type PreparedPassword, type PreparedRemoval, removePassword, replacePassword } from '../accounts/passwords'
import type { Input } from '../contract'
import { invalidField } from '../contract/errors'
import type { Me, Preferences } from '../contract/me'
import type { Author } from '../contract/shapes'
import { avatarFile, avatarOf, isPicture, newPictureName } from '../domain/avatar'
import type { StoredBytes } from '../domain/files'
import { type Links, toAuthor } from '../domain/links'
import { opensFor } from '../domain/passwords'
import type { Viewer } from '../domain/permissions'
import { findPassword } from '../store/accounts/passwords'
import type { Reader } from '../store/engines/db'
import { setAuthor } from '../store/people/authors'
import { type MemberRow, toMember } from '../store/people/members'
import { deletePicture, setPicture } from '../store/people/pictures'
import { findPreferences, setPreferences } from '../store/people/profiles'
import { getWorkspace, toWorkspace } from '../store/people/workspaces'
import { getSelf, requireAccount } from './access'
import type { ReadContext, WriteContext } from './context'
import { changeName, changeProfile } from './members'

export { cancelEmailChange, changeEmail, getEmail } from './me-email'
export {
  deletePushSubscription,
  getNotificationSettings,
  getPushKey,
  setPushSubscription,
  updateNotificationSettings,
} from './notifications'
export { getSetup, updateSetup } from './setup'

export const get = ({ db, viewer, links }: ReadContext, _: Input<'me.get'>): Promise<Me> =>
  toMe(db, viewer, links, toAuthor(links, viewer.author.stored))

async function toMe(db: Reader, viewer: Viewer, links: Links, author: Author): Promise<Me> {
  const { workspace, role, scopes } = viewer
  return {
    author,
    role,
    scopes: [...scopes],
    has_password: role === null ? null : await hasPassword(db, viewer.author.key),
    workspace: toWorkspace(links, await getWorkspace(db, workspace.key)),
  }
}

const hasPassword = async (db: Reader, authorKey: number): Promise<boolean> =>
  opensFor(await findPassword(db, authorKey), authorKey)

export async function update(context: WriteContext, { display_name }: Input<'me.update'>): Promise<Me> {
  const { db, viewer, links } = context
  const member = await getSelf(context)

  const { id, name, avatar } = display_name === undefined ? member : await changeName(context, member, display_name)
  return toMe(db, viewer, links, { avatar_urls: links.avatar(avatar), name, id, type: 'member' })
}

export async function updateProfile(context: WriteContext, input: Input<'me.updateProfile'>) {
  await getSelf(context)
  return changeProfile(context, input)
}

export async function setAvatar(context: WriteContext, _: Input<'me.setAvatar'>) {
  const { db, viewer, now } = context
  const member = await getSelf(context)
  const name = newPictureName()

  const owner = { workspace_key: viewer.workspace.key, author_key: member.author_key }
  await setPicture(db, { ...owner, name, stored: context.prepared as StoredBytes }, now)
  await changeAvatar(context, member, avatarFile(name))
  return undefined
}

export async function deleteAvatar(context: WriteContext, _: Input<'me.deleteAvatar'>) {
  const { db, viewer, now } = context
  const member = await getSelf(context)
  if (!isPicture(member.avatar)) return undefined

  await deletePicture(db, { workspace_key: viewer.workspace.key, author_key: member.author_key }, now)
  await changeAvatar(context, member, avatarOf(member.id, member.name))
  return undefined
}

async function changeAvatar({ db, links, announce }: WriteContext, member: MemberRow, avatar: string) {
  await setAuthor(db, member.author_key, { name: member.name, avatar })
  announce('member.updated', toMember(links, { ...member, avatar }))
}

const defaultPreferences: Preferences = { enter_sends: true, folded_sections: [], writes_markdown: false }

export async function getPreferences({ db, viewer }: ReadContext, _: Input<'me.getPreferences'>): Promise<Preferences> {
  requireAccount(viewer)
  return { ...defaultPreferences, ...(await findPreferences(db, viewer.author.key)) }
}

export async function updatePreferences(
  context: WriteContext,
  changes: Input<'me.updatePreferences'>,
): Promise<Preferences> {
  const { db, viewer } = context
  requireAccount(viewer)

  const preferences = { ...(await findPreferences(db, viewer.author.key)), ...changes }
  await setPreferences(db, viewer.author.key, preferences)
  context.commitWithoutEvents()
  return { ...defaultPreferences, ...preferences }
}

export async function setPassword(context: WriteContext, { password }: Input<'me.setPassword'>) {
  const { email } = await getSelf(context)
  if (password.trim().toLowerCase() === email) throw invalidField('password', 'Must not be your e-mail address.')
  await replacePassword(context, context.prepared as PreparedPassword)
  return undefined
}

export async function deletePassword(context: WriteContext, _: Input<'me.deletePassword'>) {
  await getSelf(context)
  await removePassword(context, context.prepared as PreparedRemoval)
  return undefined
}
