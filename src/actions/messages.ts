import type { Input } from '../contract'
import { invalidField, notFound, Problem } from '../contract/errors'
import type { Message } from '../contract/messages'
import { asDeleted } from '../domain/deleted-records'
import { JsonText } from '../domain/json-text'
import { canEdit, type Viewer } from '../domain/permissions'
import { timestamp } from '../domain/timestamps'
import { readOwnActivity } from '../store/attention/reads'
import { deleteMessage } from '../store/changes/deletion'
import {
  findMessage,
  findMessageMarkdown,
  insertMessage,
  type MessageRow,
  messageRanges,
  readMessagesPage,
  setMessageText,
  toMessage,
  toNewMessage,
} from '../store/content/messages'
import { findDirectThread, findThread, insertThread, type ThreadRow } from '../store/content/threads'
import type { Reader } from '../store/engines/db'
import { findMember, type MemberRow } from '../store/people/members'
import type { ReadContext, WriteContext } from './context'
import { listOf } from './list'
import { announceMentions, newlyMentioned } from './mentions'
import { renderContent, storeReferences, type Text } from './text'
import { announceThread, titleFromNames } from './threads'

export const list = listOf('messages.list', async ({ db, viewer, links }, { thread_id }, request) => {
  const thread = await findThread(db, viewer, thread_id)
  if (!thread) throw notFound('thread')
  const ranges = messageRanges(viewer, thread.key)
  return { total: thread.messages_count, page: await readMessagesPage(db, links.base, viewer, ranges, request) }
})

async function getMessage(
  { db, viewer, links }: Pick<ReadContext | WriteContext, 'db' | 'viewer' | 'links'>,
  id: string,
): Promise<MessageRow> {
  const message = await findMessage(db, viewer, links.base, id)
  if (!message) throw notFound('message')
  return message
}

export async function get(context: ReadContext, { id }: Input<'messages.get'>) {
  return new JsonText<Message>((await getMessage(context, id)).record)
}

export async function source(context: ReadContext, { id }: Input<'messages.get'>) {
  return findMessageMarkdown(context.db, (await getMessage(context, id)).key)
}

export const findThreadToWriteIn = (
  db: Reader,
  viewer: Viewer,
  { thread_id }: Input<'messages.create'>,
): Promise<Pick<ThreadRow, 'key' | 'id'> | undefined> => findThread(db, viewer, thread_id)

export async function create(context: WriteContext, input: Input<'messages.create'>) {
  const { db, viewer } = context
  const thread = await context.lookUp(() => findThreadToWriteIn(db, viewer, input))
  if (!thread) throw notFound('thread')
  return createMessage(context, thread, input)
}

export async function createDirect(context: WriteContext, input: Input<'messages.createDirect'>) {
  const member = await findMember(context.db, context.viewer, input.member_id)
  if (!member) throw notFound('member')
  if (member.is_deactivated)
    throw new Problem('member_deactivated', `${member.name} is deactivated and cannot receive messages.`)

  return createMessage(context, await findOrCreateDirectThread(context, member), input)
}

/** The one thread between the viewer and this member. */
async function findOrCreateDirectThread(context: WriteContext, member: MemberRow) {
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
    activity_revision: await context.nextRevision(),
  }
  const inserted = await insertThread(db, thread, keys)
  await announceThread(context, id)
  return inserted
}

async function createMessage(
  context: WriteContext,
  thread: { key: number; id: string },
  input: { content_markdown: string; parent_id?: string; file_ids?: string[] },
) {
  const { db, viewer, links, now, newId } = context
  const parent = input.parent_id === undefined ? undefined : await findMessage(db, viewer, links.base, input.parent_id)
  if (input.parent_id !== undefined && parent?.thread_key !== thread.key)
    throw invalidField('parent_id', 'There is no such message in this thread.')

  const text = await renderContent(context, input, 'thread')
  const message = {
    id: newId('msg'),
    content: text.html,
    created_at: now,
    updated_at: now,
    parent_id: parent?.id ?? null,
    thread_id: thread.id,
  }
  const revision = await context.nextRevision()
  await insertMessage(db, {
    ...message,
    workspace_key: viewer.workspace.key,
    thread_key: thread.key,
    parent_key: parent?.key ?? 0,
    author_key: viewer.author.key,
    revision,
    markdown: text.markdown,
    via: viewer.via ?? null,
  })
  await storeReferences(context, text.files, async () => toReferrer(await getMessage(context, message.id)))
  await readOwnActivity(db, viewer, { kind: 'thread', key: thread.key }, revision)
  const record = toNewMessage(links, message, viewer.author.stored)
  return announceMessage(context, 'message.created', record, thread.key, text)
}

export async function update(context: WriteContext, input: Input<'messages.update'>) {
  const { db, now } = context
  const message = await getEditableMessage(context, input.id)

  const old = toMessage(message)
  const { author_key } = message
  const findMarkdown = () => findMessageMarkdown(db, message.key)
  const replaced = { author_key, findMarkdown, html: old.content, referrer: toReferrer(message) }
  const text = await renderContent(context, input, 'thread', replaced)
  const record: Message = { ...old, content: text.html, updated_at: timestamp(now) }
  await setMessageText(db, message.key, { content: text.html, markdown: text.markdown, updated_at: now })
  await storeReferences(context, text.files, async () => toReferrer(message), old.content)
  return announceMessage(context, 'message.updated', record, message.thread_key, text)
}

const toReferrer = ({ key, thread_key }: MessageRow) => ({ type: 'message' as const, key, thread_key })

async function remove(context: WriteContext, { id }: Input<'messages.delete'>) {
  const message = await getEditableMessage(context, id)

  await deleteMessage(context.db, context.viewer, message, context.now)
  context.announce('message.deleted', asDeleted('message', toMessage(message)), { thread_key: message.thread_key })
  return undefined
}

export { remove as delete }

async function getEditableMessage(context: WriteContext, id: string): Promise<MessageRow> {
  const message = await getMessage(context, id)
  if (!canEdit(context.viewer, message.author_key))
    throw new Problem('forbidden', 'Only the author or an admin can change a message.')
  return message
}

async function announceMessage(
  context: WriteContext,
  type: 'message.created' | 'message.updated',
  message: Message,
  thread_key: number,
  text: Text,
): Promise<Message> {
  context.announce(type, message, { thread_key, ...newlyMentioned(text) })
  await announceMentions(context, text, { subject_type: 'message', subject: message }, { thread_key })
  return message
}
