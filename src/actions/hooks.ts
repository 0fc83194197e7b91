import type { Input } from '../contract'
import { notFound, Problem } from '../contract/errors'
import { MAX_HOOKS, type NewHook } from '../contract/hooks'
import { avatarFile, avatarOf, isPicture, newPictureName } from '../domain/avatar'
import type { StoredBytes } from '../domain/files'
import { canHaveHooks } from '../domain/hooks'
import { escapeMarkdown } from '../domain/markdown/attributes'
import { toName } from '../domain/names'
import { canManage, may } from '../domain/permissions'
import { hashSecret, newSecret } from '../domain/secrets'
import { insertAuthor, setAuthor } from '../store/people/authors'
import { deletePicture, setPicture } from '../store/people/pictures'
import {
  countHooksOf,
  deleteHook,
  findHook,
  findHookCaller,
  type HookRow,
  insertHook,
  listHooks,
  setHook,
  toHook,
  toMaskedHook,
} from '../store/webhooks/hooks'
import type { ReadContext, WriteContext } from './context'
import { findTarget, requireRole, toHookViewer, writeAsHook } from './hook-writes'
import { listOf } from './list'

export const list = listOf('hooks.list', async ({ db, viewer, links }, _, request) => ({
  ...(await listHooks(db, viewer, request)),
  toRecord: (row) => toHook(links, row),
}))

export async function get(context: ReadContext, { id }: Input<'hooks.get'>) {
  return toHook(context.links, await getHook(context, id))
}

export async function create(context: WriteContext, input: Input<'hooks.create'>): Promise<NewHook> {
  const { db, viewer, now, newId } = context
  const name = toName('name', input.name)
  const target = await findTarget(context, input)
  requireRole(context)
  if ((await countHooksOf(db, viewer)) >= MAX_HOOKS)
    throw new Problem(
      'too_many_hooks',
      `A member may have ${MAX_HOOKS} incoming webhooks. Delete one that is no longer used.`,
    )

  const workspace_key = viewer.workspace.key
  const appId = newId('app')
  const author = await insertAuthor(db, { workspace_key, id: appId, type: 'app', name, avatar: avatarOf(appId, name) })
  const secret = newSecret()
  const id = newId('hook')
  const keys = { workspace_key, author_key: author.key, owner_key: viewer.author.key }
  await insertHook(db, { ...keys, ...target, id, hash: hashSecret(secret), created_at: now })
  return { ...(await announceHook(context, 'hook.created', id)), url: addressOf(context, secret) }
}

export async function update(context: WriteContext, { id, name: given }: Input<'hooks.update'>) {
  const hook = await getShownHook(context, id)
  const name = given === undefined ? hook.name : toName('name', given)
  if (name === hook.name) return toHook(context.links, hook)

  const avatar = isPicture(hook.avatar) ? hook.avatar : avatarOf(hook.author_id, name)
  await setAuthor(context.db, hook.author_key, { name, avatar })
  return changeHook(context, hook)
}

async function remove(context: WriteContext, { id }: Input<'hooks.delete'>) {
  const { db, links, announce } = context
  const hook = await getHook(context, id)

  await deleteHook(db, hook.key)
  announce('hook.deleted', toMaskedHook(links, hook), { recipients: [hook.owner_key] })
  return undefined
}

export { remove as delete }

export async function setAvatar(context: WriteContext, { id }: Input<'hooks.setAvatar'>) {
  const hook = await getShownHook(context, id)
  const name = newPictureName()

  const { workspace_key, author_key } = hook
  const stored = context.prepared as StoredBytes
  await setPicture(context.db, { workspace_key, author_key, name, stored }, context.now)
  await changeAvatar(context, hook, avatarFile(name))
  return undefined
}

export async function deleteAvatar(context: WriteContext, { id }: Input<'hooks.deleteAvatar'>) {
  const hook = await getShownHook(context, id)
  if (!isPicture(hook.avatar)) return undefined

  await deletePicture(context.db, hook, context.now)
  await changeAvatar(context, hook, avatarOf(hook.author_id, hook.name))
  return undefined
}

async function changeAvatar(context: WriteContext, hook: HookRow, avatar: string) {
  await setAuthor(context.db, hook.author_key, { name: hook.name, avatar })
  await changeHook(context, hook)
}

export async function rotateSecret(context: WriteContext, { id }: Input<'hooks.rotateSecret'>): Promise<NewHook> {
  const hook = await getOwnHook(context, id)

  const secret = newSecret()
  await setHook(context.db, hook.key, { hash: hashSecret(secret) })
  return { ...(await changeHook(context, hook)), url: addressOf(context, secret) }
}

export async function test(context: WriteContext, { id }: Input<'hooks.test'>) {
  const hook = await getOwnHook(context, id)
  const caller = hook.hash === null ? undefined : await findHookCaller(context.db, hook.hash)
  if (!caller) throw new Problem('forbidden', 'Its address no longer works. Give it a new one first.')

  const markdown = `This is a test of the incoming webhook. ${escapeMarkdown(context.viewer.author.name)} sent it from Parley.`
  return writeAsHook({ ...context, viewer: toHookViewer(caller) }, caller, { markdown })
}

type Lookup = Pick<ReadContext | WriteContext, 'db' | 'viewer'>

/** A hook that the viewer manages: their own, or any for an admin. */
async function getHook({ db, viewer }: Lookup, id: string): Promise<HookRow> {
  const hook = await findHook(db, viewer, id)
  if (!hook) throw notFound('incoming webhook')
  return hook
}

/** The same, for what everyone sees of it, also in channels that an owner who has become a guest can no longer see. */
async function getShownHook(context: Lookup, id: string): Promise<HookRow> {
  const hook = await getHook(context, id)
  if (!canHaveHooks(context.viewer.role) && !canManage(context.viewer)) throw noLongerAllowed()
  return hook
}

const noLongerAllowed = () => new Problem('forbidden', 'You may no longer have incoming webhooks.')

/** The same, for what lets someone write with the access of the owner. */
async function getOwnHook(context: Lookup, id: string): Promise<HookRow> {
  const hook = await getHook(context, id)
  if (hook.owner_key !== context.viewer.author.key)
    throw new Problem(
      'forbidden',
      'Only the owner of the incoming webhook can do this. Other admins can rename and delete it.',
    )
  if (!canHaveHooks(context.viewer.role) || !may(context.viewer, 'write')) throw noLongerAllowed()
  return hook
}

async function changeHook(context: WriteContext, { key, id }: HookRow) {
  await setHook(context.db, key, { updated_at: context.now })
  return announceHook(context, 'hook.updated', id)
}

async function announceHook(context: WriteContext, type: 'hook.created' | 'hook.updated', id: string) {
  const hook = await getHook(context, id)
  context.announce(type, toMaskedHook(context.links, hook), { recipients: [hook.owner_key] })
  return toHook(context.links, hook)
}

const addressOf = ({ links }: WriteContext, secret: string) => `${links.base}/hooks/${secret}`
