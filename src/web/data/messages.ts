import { useQuery } from '@tanstack/react-query'
import { NotFoundError } from '../../client/errors'
import { kindOf } from '../../contract/browser/kinds'
import type { Message } from '../../contract/messages'
import { notifyProblem } from '../parts/notices'
import { keys } from './cache/keys'
import { findRecord, mapRecords, type Pages } from './cache/lists'
import { optimistic } from './cache/optimistic'
import { usePages } from './cache/pages'
import { cache, parley } from './cache/parley'
import { defineWrite, useQueue, type Waiting } from './cache/queue'
import { changesOf, drop, findLoaded, loadAside, put, reload, update } from './cache/records'
import { markUnedited } from './edits'
import { findNames } from './markdown'
import { getMe } from './me'
import { markUnreacted, preloadReactions } from './reactions'
import { putThread, withMessage } from './threads'
import { countMessage, markStateStale } from './unread'

/** A message in the list. One that the server has not confirmed yet has its Markdown instead of HTML. */
export interface ShownMessage extends Message {
  pending?: Waiting<NewMessage>
}

/** The messages of a thread, newest first. If none are loaded yet, a linked message is in the middle of the first page. */
export const useMessages = (threadId: string, linkedId: string | undefined) =>
  usePages<Message>(keys.messages(threadId), (start) => loadPage(threadId, start), { from: linkedId })

/** A page with the reactions to its messages. */
async function loadPage(thread_id: string, start: string | undefined) {
  const page = await loadMessages(thread_id, start)
  await preloadReactions(page.data.map(({ id }) => id))
  return page
}

/** A page by its cursor, or around a message, or without either the newest one. */
async function loadMessages(thread_id: string, start: string | undefined) {
  if (!start || kindOf(start) !== 'message') return parley.messages.list({ thread_id, ...(start && { after: start }) })
  try {
    return await parley.messages.list({ thread_id, around: start })
  } catch (error) {
    if (error instanceof NotFoundError) return parley.messages.list({ thread_id })
    throw error
  }
}

/** One message, even if its page is not loaded. */
export const useMessage = ({ id, thread_id }: { id: string; thread_id: string }) =>
  useQuery({
    queryKey: keys.message(id),
    queryFn: () => parley.messages.get({ id }),
    initialData: () => findLoadedMessage(thread_id, id),
  })

const findLoadedMessage = (threadId: string, id: string): Message | undefined =>
  findRecord(cache.getQueryData<Pages<Message>>(keys.messages(threadId)), id)

/** Replaces the loaded list with its newest page. */
export const showLatest = (threadId: string) => showPage(threadId, undefined)

/** Replaces the loaded list with the page around a message, unless it is loaded. False if there is no such message. */
export async function showMessage(threadId: string, id: string): Promise<boolean> {
  if (!findLoadedMessage(threadId, id)) await showPage(threadId, id)
  return findLoadedMessage(threadId, id) !== undefined
}

async function showPage(threadId: string, start: string | undefined) {
  const queryKey = keys.messages(threadId)
  await cache.cancelQueries({ queryKey })
  await loadAside(
    queryKey,
    () => loadPage(threadId, start),
    (page) => cache.setQueryData<Pages<Message>>(queryKey, { pages: [page], pageParams: [start] }),
  )
}

/** The messages that were counted already, by the response to the member or by their event, whichever came first. */
const counted = new Set<string>()
const MAX_COUNTED = 1000

/** Shows a new message, and counts it, once. `eventId` and `via` are those of its event. */
export function addMessage(message: Message, from: { eventId?: string; via?: { name: string } | null } = {}) {
  const { id, thread_id, author } = message
  if (counted.has(id)) return
  if (counted.size > MAX_COUNTED) counted.clear()
  counted.add(id)
  put('message', message)
  markUnedited(id, from.via)
  if (findLoadedMessage(thread_id, id)) markUnreacted(id)
  const thread = findLoaded('thread', thread_id)
  const next = thread && withMessage(thread, message)
  if (next) putThread(next)
  else if (thread || cache.getQueryData(keys.threads)) reload('thread', thread_id)
  countMessage(message, { eventId: from.eventId, isMine: author.id === getMe().author.id })
}

export interface NewMessage {
  thread_id: string
  parent_id: string | null
  content_markdown: string
}

const writeMessage = defineWrite('message', {
  subjectOf: ({ thread_id }: NewMessage) => thread_id,
  prepare: findNames,
  send: ({ parent_id, ...input }, idempotencyKey) =>
    parley.messages.create({ ...input, ...(parent_id && { parent_id }) }, { idempotencyKey }),
  settle: (message) => addMessage(message),
})

interface MessageText {
  markdown: string
  parent?: Message
  /** The same for every attempt, so that the message is created once. */
  idempotencyKey: string
}

/** Sends a message: shown at once. Throws if the server refuses it; undefined if it waits for a connection. */
export const sendMessage = (thread_id: string, { markdown, parent, idempotencyKey }: MessageText) =>
  writeMessage({ thread_id, content_markdown: markdown, parent_id: parent?.id ?? null }, idempotencyKey)

/** What the member has written in a thread, and the server has not confirmed yet. */
export const usePendingMessages = (threadId: string): ShownMessage[] =>
  useQueue()
    .filter((entry): entry is Waiting<NewMessage> => entry.kind === 'message' && entry.subjectId === threadId)
    .map((entry) => ({
      id: `pending-${entry.id}`,
      content: '',
      created_at: entry.createdAt,
      updated_at: entry.createdAt,
      parent_id: entry.input.parent_id,
      thread_id: threadId,
      author: getMe().author,
      pending: entry,
    }))

/** Edits a message. */
export async function updateMessage(id: string, content_markdown: string) {
  put('message', await parley.messages.update({ id, content_markdown }))
}

/** Deletes a message: hidden at once, shown again if the request fails. */
export async function deleteMessage({ id, thread_id }: Message) {
  try {
    await optimistic(
      changesOf('message', id, () => undefined),
      () => parley.messages.delete({ id }),
      () => removeMessage({ id, thread_id }),
    )
  } catch (error) {
    notifyProblem("Couldn't delete the message.", error)
  }
}

/** Removes a message that was deleted. Replies to it lose their quote. */
export function removeMessage({ id, thread_id }: Pick<Message, 'id' | 'thread_id'>) {
  drop('message', id)
  update<Pages<Message>>(
    keys.messages(thread_id),
    (pages) =>
      mapRecords(pages, (message) =>
        message.parent_id === id ? { ...message, parent_id: null } : message,
      ) as Pages<Message>,
  )
  if (findLoaded('thread', thread_id)) reload('thread', thread_id)
  markStateStale(thread_id)
}
