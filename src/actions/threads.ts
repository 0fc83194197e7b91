import type { Input } from '../contract'
import { invalidField, notFound } from '../contract/errors'
import { toTitle } from '../domain/names'
import { toThread } from '../records/threads'
import { noteOwnActivity } from '../store/attention/own-activity'
import { findVisibleAuthors } from '../store/authors'
import { findThread, findThreadsCount, insertThread, listThreadMembers, listThreads } from '../store/threads'
import type { ReadContext, WriteContext } from './context'
import { listOf } from './list'

export const list = listOf('threads.list', async ({ db, viewer, links }, _, request) => {
  const total = await findThreadsCount(db, viewer)
  const found = await listThreads(db, viewer, request)
  const members = await listThreadMembers(
    db,
    found.rows.map((row) => row.key),
  )
  return { total, found, toRecord: (row) => toThread(links, row, members) }
})

export async function get({ db, viewer, links }: ReadContext, { id }: Input<'threads.get'>) {
  const thread = await findThread(db, viewer, id)
  if (!thread) throw notFound('thread')
  return toThread(links, thread, await listThreadMembers(db, [thread.key]))
}

export async function create(context: WriteContext, input: Input<'threads.create'>) {
  const { db, viewer, now, newId } = context
  const others = await findInvited(context, input.member_ids)
  const names = [viewer.author, ...others].map((author) => author.name)

  const id = newId('thr')
  const memberKeys = [viewer.author.key, ...others.map((author) => author.key)]
  const title = toTitle(input.title ?? '') || titleFromNames(names)
  const revision = await context.nextRevision()
  const thread = await insertThread(
    db,
    {
      id,
      workspace_key: viewer.workspace.key,
      author_key: viewer.author.key,
      title,
      direct_pair: null,
      created_at: now,
      activity_revision: revision,
    },
    memberKeys,
  )
  await noteOwnActivity(db, viewer, { type: 'thread', key: thread.key }, { revision, now })
  return announceThread(context, id)
}

export async function announceThread({ db, viewer, links, announce }: WriteContext, id: string) {
  const row = (await findThread(db, viewer, id))!
  const thread = toThread(links, row, await listThreadMembers(db, [row.key]))
  announce('thread.created', thread, { thread_key: row.key })
  return thread
}

/** The authors to invite, without the viewer. Those the viewer cannot see cannot be invited. */
async function findInvited({ db, viewer }: WriteContext, ids: readonly string[]) {
  const wanted = [...new Set(ids)].filter((id) => id !== viewer.author.id)
  const known = await findVisibleAuthors(db, viewer, wanted)
  return wanted.map((id) => {
    const at = `member_ids[${ids.indexOf(id)}]`
    const author = known.find((candidate) => candidate.id === id)
    if (!author) throw invalidField(at, 'There is no such member or app.')
    if (author.is_deactivated) throw invalidField(at, 'This member is deactivated.')
    return author
  })
}

const MAX_NAMES = 3

export function titleFromNames(names: readonly string[]): string {
  const shown = names.slice(0, MAX_NAMES).map(toTitle).join(', ')
  return names.length > MAX_NAMES ? `${shown} and ${names.length - MAX_NAMES} more` : shown
}
