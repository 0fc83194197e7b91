import type { Input } from '../contract'
import { notFound } from '../contract/errors'
import { toAuthor } from '../domain/links'
import {
  countSessionsOf,
  deleteSession,
  findSessionOf,
  findSessionsOf,
  listSessions,
  type SessionRow,
  toSession,
} from '../store/accounts/sessions'
import type { ChangeContext } from '../store/changes/change'
import type { WriteContext } from './context'
import { listOf } from './list'
import { endSignInLink } from './sign-in-links'

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

/** Ends sessions of the caller, with the tokens of their pages. */
export async function endSessions({ db, viewer, links, announce }: ChangeContext, sessions: readonly SessionRow[]) {
  const member = toAuthor(links, viewer.author.card)
  for (const session of sessions) {
    await deleteSession(db, session)
    announce('session.ended', { id: session.id, name: session.name, member })
  }
}
