import { endSignInLink } from '../accounts/links'
import { endSessions } from '../accounts/sessions'
import type { Input } from '../contract'
import { notFound } from '../contract/errors'
import { countSessionsOf, findSessionOf, findSessionsOf, listSessions, toSession } from '../store/accounts/sessions'
import type { WriteContext } from './context'
import { listOf } from './list'

export const list = listOf('sessions.list', async ({ db, viewer }, _, request) => {
  const found = await listSessions(db, viewer, request)
  const total = await countSessionsOf(db, viewer)
  return { total, found, toRecord: (row) => toSession(row, viewer.sessionKey) }
})

async function remove(context: WriteContext, { id }: Input<'sessions.delete'>) {
  const session = await findSessionOf(context.db, context.viewer, id)
  if (!session) throw notFound('session')

  await endSessions(context, [session])
  return undefined
}

export { remove as delete }

export async function deleteAll(context: WriteContext, _: Input<'sessions.deleteAll'>) {
  await endSessions(context, await findSessionsOf(context.db, context.viewer))
  await endSignInLink(context, context.viewer.author.key)
  return undefined
}
