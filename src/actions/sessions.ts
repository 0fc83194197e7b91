import { endSignInLink } from '../accounts/links'
import { endSessions } from '../accounts/sessions'
import type { Input } from '../contract'
import { notFound } from '../contract/errors'
import { findSessionOf, findSessionsOf, listSessions, toSession } from '../store/accounts/sessions'
import type { WriteContext } from './context'
import { listOf } from './list'

export const list = listOf('sessions.list', async ({ db, viewer }, _, request) => {
  return { ...(await listSessions(db, viewer, request)), toRecord: (row) => toSession(row, viewer.sessionKey) }
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
