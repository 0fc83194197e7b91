import { useQuery } from '@tanstack/react-query'
import { NotFoundError } from '../../client/errors'
import { kindOf } from '../../contract/browser/kinds'
import type { EventOf } from '../../contract/events'
import type { Me } from '../../contract/me'
import type { Message } from '../../contract/messages'
import type { Author } from '../../contract/shapes'
import { notifyProblem } from '../parts/notices'
import { addFirst, changeRecords, type Pages, usePages } from './cache/pages'
import { cache, parley } from './cache/parley'
import { markUnedited } from './edits'
import { meQuery } from './me'
import { preloadReactions } from './reactions'
import { updateMessageCount } from './threads'

/** A message in the list. One that is being sent has its Markdown instead of HTML. */
export interface ShownMessage extends Message {
  sending?: string
}

const messagesKey = (threadId: string) => ['messages', threadId]
const messageKey = (id: string) => ['message', id]

/** The messages of a thread, newest first. If none are loaded yet, a linked message is in the middle of the first page. */
export const useMessages = (threadId: string, linkedId: string | undefined) =>
  usePages<ShownMessage>(messagesKey(threadId), (start) => loadPage(threadId, start), { from: linkedId })

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
    queryKey: messageKey(id),
    queryFn: () => parley.messages.get({ id }),
    initialData: () => findLoadedMessage(thread_id, id),
  })

const findLoadedMessage = (threadId: string, id: string): ShownMessage | undefined =>
  cache
    .getQueryData<Pages<ShownMessage>>(messagesKey(threadId))
    ?.pages.flatMap(({ data }) => data)
    .find((message) => message.id === id)

/** Replaces the loaded list with its newest page. */
export const showLatest = (threadId: string) => showPage(threadId, undefined)

/** Replaces the loaded list with the page around a message, unless it is loaded. False if there is no such message. */
export async function showMessage(threadId: string, id: string): Promise<boolean> {
  if (!findLoadedMessage(threadId, id)) await showPage(threadId, id)
  return findLoadedMessage(threadId, id) !== undefined
}

async function showPage(threadId: string, start: string | undefined) {
  await cache.cancelQueries({ queryKey: messagesKey(threadId) })
  const page = await loadPage(threadId, start)
  cache.setQueryData<Pages<ShownMessage>>(messagesKey(threadId), { pages: [page], pageParams: [start] })
}

const add = (message: ShownMessage) =>
  cache.setQueryData<Pages<ShownMessage>>(messagesKey(message.thread_id), (pages) => pages && addFirst(pages, message))

const drop = ({ thread_id, id }: { thread_id: string; id: string }) =>
  changeRecords<ShownMessage>(messagesKey(thread_id), (message) => (message.id === id ? undefined : message))

export function put(message: Message) {
  cache.setQueriesData<Message>({ queryKey: messageKey(message.id) }, message)
  changeRecords<ShownMessage>(messagesKey(message.thread_id), (shown) => (shown.id === message.id ? message : shown))
}

/** A sent message arrives twice, in the response and as an event. Events wait until all sends have finished. */
let sendingCount = 0
let deferredEvents: Message[] = []
const confirmedIds = new Set<string>()

function addOnce(message: Message) {
  if (findLoadedMessage(message.thread_id, message.id)) return
  add(message)
  void updateMessageCount(message.thread_id, 1, message.created_at)
}

function addCreated(message: Message) {
  if (!confirmedIds.delete(message.id)) addOnce(message)
}

export function handleCreated({ data, actor }: EventOf<'message.created'>) {
  const me = cache.getQueryData<Me>(meQuery.queryKey)
  if (sendingCount > 0 && actor?.id === me?.author.id) deferredEvents.push(data)
  else addCreated(data)
}

function finishSending() {
  sendingCount--
  if (sendingCount > 0) return
  const deferred = deferredEvents
  deferredEvents = []
  for (const message of deferred) addCreated(message)
}

export interface NewMessage {
  markdown: string
  parent?: Message
  /** The same for every attempt, so that the message is created once. */
  idempotencyKey: string
}

/** Sends a message: shown at once, removed if the request fails. */
export async function sendMessage(threadId: string, author: Author, { markdown, parent, idempotencyKey }: NewMessage) {
  const now = new Date().toISOString()
  const shown: ShownMessage = {
    id: `sending-${now}-${sendingCount}`,
    content: '',
    sending: markdown,
    created_at: now,
    updated_at: now,
    parent_id: parent?.id ?? null,
    thread_id: threadId,
    author,
  }
  sendingCount++
  add(shown)
  try {
    const input = { thread_id: threadId, content_markdown: markdown, parent_id: parent?.id }
    const message = await parley.messages.create(input, { idempotencyKey })
    drop(shown)
    markUnedited(message.id)
    addOnce(message)
    confirmedIds.add(message.id)
    return message
  } catch (error) {
    drop(shown)
    throw error
  } finally {
    finishSending()
  }
}

/** Edits a message. */
export async function updateMessage(id: string, content_markdown: string) {
  put(await parley.messages.update({ id, content_markdown }))
}

/** Deletes a message: hidden at once, shown again if the request fails. */
export async function deleteMessage(message: Message) {
  drop(message)
  try {
    await parley.messages.delete({ id: message.id })
  } catch (error) {
    void cache.invalidateQueries({ queryKey: messagesKey(message.thread_id) })
    notifyProblem("Couldn't delete the message.", error)
  }
}

/** Replies to a deleted message lose their quote. */
export function handleDeleted({ data: { id, thread_id } }: { data: Message }) {
  drop({ id, thread_id })
  cache.removeQueries({ queryKey: messageKey(id) })
  changeRecords<ShownMessage>(messagesKey(thread_id), (message) =>
    message.parent_id === id ? { ...message, parent_id: null } : message,
  )
  void updateMessageCount(thread_id, -1)
}
