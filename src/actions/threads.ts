import type { Input } from '../contract'
import { invalidField, notFound, Problem } from '../contract/errors'
import { MAX_THREAD_MEMBERS } from '../contract/threads'
import { toAuthor } from '../domain/links'
import { toTitle } from '../domain/names'
import { canManage } from '../domain/permissions'
import { setThreadReadOnJoining } from '../store/attention/channel-reads'
import { readOwnActivity } from '../store/attention/reads'
import {
  deleteThreadMember,
  findThreadMember,
  hasOtherReaders,
  insertThreadMember,
  listThreadMembers,
  toThread,
} from '../store/content/thread-members'
import { findThread, insertThread, listThreads, type ThreadRow } from '../store/content/threads'
import { findVisibleAuthors } from '../store/people/authors'
import { announceLostAccess } from './access'
import type { ReadContext, WriteContext } from './context'
import { listOf } from './list'

export const list = listOf('threads.list', async ({ db, viewer, links }, _, request) => {
  const { found, total } = await listThreads(db, viewer, request)
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
  await readOwnActivity(db, viewer, { kind: 'thread', key: thread.key }, revision)
  return announceThread(context, id)
}

/** Adds someone to a thread. What was written before is read to them. */
export async function addMember(context: WriteContext, { thread_id, member_id }: Input<'threads.addMember'>) {
  const { db, viewer, links, now, announce } = context
  const thread = await getGroupThread(context, thread_id)
  const [author] = await findVisibleAuthors(db, viewer, [member_id])
  if (!author) throw notFound('member or app')
  if (await findThreadMember(db, thread.key, author.id)) return undefined
  if (author.is_deactivated) throw new Problem('member_deactivated', `${author.name} is deactivated.`)
  if ((await listThreadMembers(db, [thread.key])).length >= MAX_THREAD_MEMBERS)
    throw new Problem('too_many_members', `A thread has at most ${MAX_THREAD_MEMBERS} members.`)

  await insertThreadMember(db, thread, { workspace_key: viewer.workspace.key, author_key: author.key, now })
  await setThreadReadOnJoining(db, thread.key, author.key, (await context.nextRevision()) - 1)
  const data = { thread: await readThread(context, thread, now), member: toAuthor(links, author.stored) }
  announce('thread.member_added', data, { thread_key: thread.key, named: [author.key] })
  return undefined
}

export async function removeMember(context: WriteContext, { thread_id, member_id }: Input<'threads.removeMember'>) {
  const { db, viewer } = context
  const thread = await getGroupThread(context, thread_id)
  const author = await findThreadMember(db, thread.key, member_id)
  if (!author) throw notFound('member of this thread')
  const mayRemove = [author.key, thread.author_key].includes(viewer.author.key) || canManage(viewer)
  if (!mayRemove) throw new Problem('forbidden', 'Only whoever started the thread or an admin can remove others.')

  await removeAuthor(context, thread, author)
  return undefined
}

export async function leave(context: WriteContext, { thread_id }: Input<'threads.leave'>) {
  await removeAuthor(context, await getGroupThread(context, thread_id), context.viewer.author)
  return undefined
}

/** Takes someone out of a thread they take part in. */
async function removeAuthor(context: WriteContext, thread: ThreadRow, author: { key: number; stored: string }) {
  const { db, links, now, announce } = context
  if (!(await hasOtherReaders(db, thread.key, author.key)))
    throw new Problem(
      'last_member',
      'Nobody else here can sign in. If you left, nobody could read this thread any more.',
    )

  await deleteThreadMember(db, thread, { author_key: author.key, now })
  const member = toAuthor(links, author.stored)
  const data = { thread: await readThread(context, thread, now), member }
  announce('thread.member_removed', data, { thread_key: thread.key })
  announceLostAccess(context, { type: 'thread', id: thread.id }, { key: author.key, type: member.type })
}

/** A thread as its record shows it after a change of its members. */
const readThread = async ({ db, links }: WriteContext, thread: ThreadRow, updated_at: number) =>
  toThread(links, { ...thread, updated_at }, await listThreadMembers(db, [thread.key]))

async function getGroupThread({ db, viewer }: WriteContext, id: string): Promise<ThreadRow> {
  const thread = await findThread(db, viewer, id)
  if (!thread) throw notFound('thread')
  if (thread.direct_pair !== null)
    throw new Problem('direct_thread', 'This is a direct message. Start a thread to talk with others.')
  return thread
}

export async function announceThread({ db, viewer, links, announce }: WriteContext, id: string) {
  const row = (await findThread(db, viewer, id))!
  const thread = toThread(links, row, await listThreadMembers(db, [row.key]))
  announce('thread.created', thread, { thread_key: row.key })
  return thread
}

/** The authors to invite, without the viewer. Throws for authors the viewer cannot see. */
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
