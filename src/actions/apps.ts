import type { Input } from '../contract'
import { fold } from '../contract/browser/fold'
import { notFound, Problem } from '../contract/errors'
import { avatarOf } from '../domain/avatar'
import { toName } from '../domain/names'
import type { Viewer } from '../domain/permissions'
import type { Reader } from '../store/engines/db'
import { type AppRow, deleteApp, findApp, findAppByName, insertApp, listApps, toApp } from '../store/people/apps'
import { findAuthor, insertAuthor } from '../store/people/authors'
import { deleteTokensOf } from '../store/people/tokens'
import { addToWorkspace } from '../store/people/workspaces'
import { leaveAllChannels } from './channels'
import type { WriteContext } from './context'
import { listOf } from './list'
import { findTokensOf, issueToken } from './tokens'
import { disableWebhooksWithoutRights } from './webhook-access'

export const list = listOf('apps.list', async ({ db, viewer, links }, { q }, request) => {
  const listed = await listApps(db, viewer, q === undefined ? '' : fold(q), request)
  return { ...listed, toRecord: (row) => toApp(links, row) }
})

export async function create({ db, viewer, links, now, newId, announce }: WriteContext, input: Input<'apps.create'>) {
  const name = toName('name', input.name)
  const workspace_key = viewer.workspace.key
  if (await findAppByName(db, workspace_key, fold(name)))
    throw new Problem('name_taken', `There is already an app named “${name}”.`)

  const id = newId('app')
  const avatar = avatarOf(id, name)
  const author = await insertAuthor(db, { workspace_key, id, type: 'app', name, avatar })
  await insertApp(db, { author_key: author.key, workspace_key, id, name_fold: fold(name), created_at: now })
  await addToWorkspace(db, workspace_key, 'apps_count', 1)
  const app = toApp(links, { author_key: author.key, id, name, avatar, created_at: now, updated_at: now })
  announce('app.created', app)
  return app
}

async function remove(context: WriteContext, { id }: Input<'apps.delete'>) {
  const { db, viewer, links, announce } = context
  const app = await getApp(db, viewer, id)

  await deleteTokensOf(db, viewer.workspace.key, app.author_key)
  await leaveAllChannels(context, (await findAuthor(db, viewer, app.id))!)
  await deleteApp(db, app.author_key)
  await addToWorkspace(db, viewer.workspace.key, 'apps_count', -1)
  announce('app.deleted', toApp(links, app))
  await disableWebhooksWithoutRights(context, app.author_key)
  return undefined
}

export { remove as delete }

export const listTokens = listOf('apps.listTokens', async (context, { id }, request) => {
  const app = await getApp(context.db, context.viewer, id)
  return findTokensOf(context, app.author_key, request)
})

export async function createToken(context: WriteContext, { id, ...request }: Input<'apps.createToken'>) {
  const app = await getApp(context.db, context.viewer, id)
  return issueToken(context, { key: app.author_key }, request)
}

async function getApp(db: Reader, viewer: Viewer, id: string): Promise<AppRow> {
  const app = await findApp(db, viewer, id)
  if (!app) throw notFound('app')
  return app
}
