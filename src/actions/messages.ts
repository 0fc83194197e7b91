import type { Input } from '../contract'
import { invalidField, notFound, Problem } from '../contract/errors'
import type { Message } from '../contract/messages'
import type { Page } from '../contract/page'
import { pageRequest } from '../domain/paging'
import { canEdit, type Viewer } from '../domain/permissions'
import { Recall } from '../records/memory'
import { type ShownMessage, toMessage } from '../records/messages'
import { type Listing, type Remembered, recalledPage, rememberedPage } from '../records/remembered'
import type { Written } from '../records/written'
import { findMember, type MemberRow } from '../store/members'
import {
  deleteMessage,
  findMessage,
  findMessageMarkdown,
  findMessages,
  insertMessage,
  type MessageRow,
  messageRanges,
  setMessageText,
} from '../store/messages'
import { findDirectThread, findThread, insertThread, type ThreadRow } from '../store/threads'
import type { ReadContext, Recalling, WriteContext } from './context'
import { announceMentions, type Text, written } from './text'
import { announceThread, titleFromNames } from './threads'

const messages: Remembered<MessageRow, Message> = {
  kind: 'message',
  find: findMessages,
  keyOf: (row) => row.key,
  toRecord: toMessage,
  factsOf: ({ created_at }) => ({ created_at }),
}

export async function list(context: ReadContext, input: Input<'messages.list'>): Promise<Written<Page<Message>>> {
  const { db, viewer, memory } = context
  const request = pageAsked(input)
  const thread = await memory.noting(noteOf(input.thread_id), () => findThread(db, viewer, input.thread_id))
  if (!thread) throw notFound('thread')

  const page = await rememberedPage(context, messages, listingOf(viewer, thread), request)
  return page ?? list({ ...context, memory: Recall.none }, input)
}

/** The same from memory alone, where all of it is remembered. */
export function recallList({ memory, viewer }: Recalling, input: Input<'messages.list'>) {
  const request = pageAsked(input)
  const thread = memory.noted<ThreadRow>(noteOf(input.thread_id))
  return thread && recalledPage<Page<Message>>(memory, listingOf(viewer, thread), request)
}

const pageAsked = (input: Input<'messages.list'>) =>
  pageRequest(`messages.list ${input.thread_id}`, input, { sort: 'created_at', direction: 'desc' })

const noteOf = (threadId: string) => `thread ${threadId}`

const listingOf = (viewer: Viewer, { id, key, messages_count }: ThreadRow): Listing => ({
  name: { kind: 'message', of: id, sort: 'created_at', filter: '' },
  ranges: () => messageRanges(viewer, key),
  total: messages_count,
})

export async function get({ db, viewer, links }: ReadContext, { id }: Input<'messages.get'>) {
  const message = await findMessage(db, viewer, id)
  if (!message) throw notFound('message')
  return toMessage(links, message)
}

export async function source({ db, viewer }: ReadContext, { id }: Input<'messages.get'>) {
  const message = await findMessage(db, viewer, id)
  if (!message) throw notFound('message')
  return findMessageMarkdown(db, message.key)
}

export async function create(context: WriteContext, input: Input<'messages.create'>) {
  const thread = await findThread(context.db, context.viewer, input.thread_id)
  if (!thread) throw notFound('thread')
  return write(context, thread, input)
}

export async function createDirect(context: WriteContext, input: Input<'messages.createDirect'>) {
  const member = await findMember(context.db, context.viewer, input.member_id)
  if (!member) throw notFound('member')
  if (member.is_deactivated)
    throw new Problem('member_deactivated', `${member.name} is deactivated and reads no messages.`)

  return write(context, await directThread(context, member), input)
}

/** The one thread between the viewer and this member. */
async function directThread(context: WriteContext, member: MemberRow) {
  const { db, viewer, now, newId } = context
  const keys = [...new Set([viewer.author.key, member.author_key])].sort((a, b) => a - b)
  const direct_pair = `${keys[0]}:${keys.at(-1)}`
  const existing = await findDirectThread(db, viewer, direct_pair)
  if (existing) return existing

  const title = titleFromNames([...new Set([viewer.author.name, member.name])])
  const id = newId('thr')
  const thread = {
    id,
    workspace_key: viewer.workspace.key,
    author_key: viewer.author.key,
    title,
    direct_pair,
    created_at: now,
  }
  const inserted = await insertThread(db, thread, keys)
  await announceThread(context, id)
  return inserted
}

async function write(
  context: WriteContext,
  thread: { key: number; id: string },
  input: { content_markdown: string; parent_id?: string },
) {
  const { db, viewer, now, newId } = context
  const parent = input.parent_id === undefined ? undefined : await findMessage(db, viewer, input.parent_id)
  if (input.parent_id !== undefined && parent?.thread_key !== thread.key)
    throw invalidField('parent_id', 'There is no such message in this thread.')

  const id = newId('msg')
  const text = await written(context, input.content_markdown)
  const { author } = await insertMessage(db, {
    id,
    workspace_key: viewer.workspace.key,
    thread_key: thread.key,
    parent_key: parent?.key ?? 0,
    author_key: viewer.author.key,
    content: text.html,
    markdown: text.markdown,
    created_at: now,
  })
  return announced(context, 'message.created', text, {
    id,
    content: text.html,
    created_at: now,
    updated_at: now,
    parent_id: parent?.id ?? null,
    thread_id: thread.id,
    thread_key: thread.key,
    author,
  })
}

export async function update(context: WriteContext, { id, content_markdown }: Input<'messages.update'>) {
  const message = await ownMessage(context, id)

  const text = await written(context, content_markdown)
  const before = text.mentioned.length > 0 ? await findMessageMarkdown(context.db, message.key) : ''
  const changes = { content: text.html, updated_at: context.now }
  await setMessageText(context.db, message.key, { ...changes, markdown: text.markdown })
  return announced(context, 'message.updated', text, { ...message, ...changes }, before)
}

async function remove(context: WriteContext, { id }: Input<'messages.delete'>) {
  const message = await ownMessage(context, id)

  await deleteMessage(context.db, context.viewer, message)
  const emptied = { ...message, content: '' }
  context.announce('message.deleted', toMessage(context.links, emptied), { thread_key: message.thread_key })
  return undefined
}

export { remove as delete }

async function ownMessage({ db, viewer }: WriteContext, id: string): Promise<MessageRow> {
  const message = await findMessage(db, viewer, id)
  if (!message) throw notFound('message')
  if (!canEdit(viewer, message.author_key))
    throw new Problem('forbidden', 'Only its author or an admin may change a message.')
  return message
}

/** Tells of a message, as it is now. */
async function announced(
  context: WriteContext,
  type: 'message.created' | 'message.updated',
  text: Text,
  row: ShownMessage & Pick<MessageRow, 'thread_key'>,
  before?: string,
) {
  const message = toMessage(context.links, row)
  const place = { thread_key: row.thread_key }
  context.announce(type, message, place)
  await announceMentions(context, text, { subject_type: 'message', subject: message }, place, before)
  return message
}
