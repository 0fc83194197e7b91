import { sql } from 'kysely'
import type { Message } from '../../contract/messages'
import { type Links, toAuthor } from '../../domain/links'
import type { Viewer } from '../../domain/permissions'
import { type MessageFields, messageFields, type OwnMessage, parseFields } from '../../domain/record-fields'
import { forgetReactionsTo } from '../attention/reaction-entries'
import { prepare, type Reader, type RowOf, type Writer } from '../engines/db'
import { removeReferences } from '../files/references'
import { preparePages } from '../lists/list'
import type { IndexRanges } from '../lists/ranges'
import { authorJson, concatJson, objectJson } from '../lists/record-json'
import { redactRecords } from '../log/redaction'
import { removeDocuments } from '../search/documents'
import { deleteReactions } from './reactions'
import { addToThread, removeFromThread } from './threads'

/** A message as its record shows it, from `messages` as `m` and `authors` as `a`. */
export const messageJson = (base: string) =>
  concatJson(
    ...objectJson<Omit<Message, keyof MessageFields>>([sql.ref('m.fields')], { author: authorJson('a', base) }),
  )

export const readMessagesPage = preparePages((base) => ({
  json: messageJson(base),
  joins: sql`JOIN messages AS m ON m.key = k.key JOIN authors AS a ON a.key = m.author_key`,
}))

const messageById = prepare((db, param, base: string) =>
  db
    .selectFrom('messages as m')
    .innerJoin('thread_members as tm', 'tm.thread_key', 'm.thread_key')
    .innerJoin('authors as a', 'a.key', 'm.author_key')
    .where('m.workspace_key', '=', param<number>('workspace'))
    .where('m.id', '=', param<string>('id'))
    .where('tm.author_key', '=', param<number>('me'))
    .select(['m.key', 'm.id', 'm.created_at', 'm.thread_key', 'm.author_key', 'm.revision'])
    .select(messageJson(base).as('record')),
)

/** What is needed to do something to a message, and its record as JSON. */
export type MessageRow = RowOf<typeof messageById>

/** A message this viewer may see: one of a thread they take part in. */
export async function findMessage(
  db: Reader,
  viewer: Viewer,
  base: string,
  id: string,
): Promise<MessageRow | undefined> {
  const [message] = await messageById(db, [base], { workspace: viewer.workspace.key, me: viewer.author.key, id })
  return message
}

export const findMessageMarkdown = async (db: Reader, key: number): Promise<string> =>
  (await db.selectFrom('messages').where('key', '=', key).select('markdown').executeTakeFirstOrThrow()).markdown

/** The messages of a thread. */
export const messageRanges = (viewer: Viewer, threadKey: number): IndexRanges => ({
  table: 'messages',
  key: 'key',
  at: 'created_at',
  id: 'id',
  ranges: [{ workspace_key: viewer.workspace.key, thread_key: threadKey }],
})

export interface NewMessage extends OwnMessage {
  workspace_key: number
  thread_key: number
  parent_key: number
  author_key: number
  revision: number
  markdown: string
  via: string | null
}

const insertStatement = prepare((db, param) =>
  db.insertInto('messages').values({
    id: param<string>('id'),
    workspace_key: param<number>('workspace_key'),
    thread_key: param<number>('thread_key'),
    parent_key: param<number>('parent_key'),
    author_key: param<number>('author_key'),
    fields: param<string>('fields'),
    markdown: param<string>('markdown'),
    created_at: param<number>('created_at'),
    updated_at: param<number>('updated_at'),
    revision: param<number>('revision'),
    via: param<string | null>('via'),
  }),
)

export async function insertMessage(db: Writer, message: NewMessage) {
  await insertStatement(db, [], { ...message, fields: messageFields(message) })
  await addToThread(db, message.thread_key, message)
}

export const setMessageText = (db: Writer, key: number, message: OwnMessage, markdown: string) =>
  db
    .updateTable('messages')
    .set({ fields: messageFields(message), markdown, updated_at: message.updated_at })
    .where('key', '=', key)
    .execute()

/** Deletes a message, also its content in the log and in stored answers; what answered it stays, answering nothing. */
export async function deleteMessage(db: Writer, viewer: Viewer, message: MessageRow, now: number) {
  await redactRecords(db, viewer.workspace.key, [message.id])
  await removeDocuments(db, 'message', [message.key])
  await removeReferences(db, 'message', [message.key], now)
  await deleteReactions(db, 'message', [message.key])
  await forgetReactionsTo(db, message.author_key, { kind: 'thread', key: message.thread_key }, message.key)
  await db
    .updateTable('messages')
    .set({
      parent_key: 0,
      // Ids hold nothing that JSON escapes, and in a text quotation marks are escaped: this can only be the field itself.
      fields: sql<string>`replace(fields, ${`"parent_id":"${message.id}"`}, '"parent_id":null')`,
    })
    .where('workspace_key', '=', viewer.workspace.key)
    .where('thread_key', '=', message.thread_key)
    .where('parent_key', '=', message.key)
    .execute()
  await db.deleteFrom('messages').where('key', '=', message.key).execute()
  await removeFromThread(db, message.thread_key, now)
}

/** A message from the JSON that the database makes of it. */
export const toMessage = ({ record }: { record: string }): Message => JSON.parse(record)

/** The record of a new message, without reading it back. */
export const toNewMessage = (links: Links, message: OwnMessage, author: string): Message => ({
  ...parseFields<Omit<Message, 'author'>>(messageFields(message)),
  author: toAuthor(links, author),
})
