import { sql } from 'kysely'
import type { Message } from '../../contract/messages'
import { type Links, toAuthor } from '../../domain/links'
import type { Viewer } from '../../domain/permissions'
import { timestamp } from '../../domain/timestamps'
import { prepare, type Reader, type RowOf, type Writer } from '../engines/db'
import type { SqlSyntax } from '../engines/syntax'
import { definePages } from '../lists/list'
import type { IndexRanges } from '../lists/ranges'
import { author, type Json, object, plain, select, text, toSql, when } from '../lists/record-json'
import { addToThread } from './threads'

/** A message as its record shows it, from `messages` as `m`, `authors` as `a` and `threads` as `t`. */
export const messageJson = (syntax: SqlSyntax, base: string): Json<Message> =>
  object<Message>({
    id: plain('m.id'),
    content: text(syntax, 'm.content'),
    created_at: plain('m.created_time'),
    updated_at: plain('m.updated_time'),
    parent_id: when(
      sql`m.parent_key <> 0`,
      select(plain('parent.id'), sql`messages AS parent WHERE parent.key = m.parent_key`),
    ),
    thread_id: plain('t.id'),
    author: author(syntax, base, 'a'),
  })

export const readMessagesPage = definePages((syntax, base) => ({
  json: messageJson(syntax, base),
  joins: sql`JOIN messages AS m ON m.key = k.key JOIN authors AS a ON a.key = m.author_key
    JOIN threads AS t ON t.key = m.thread_key`,
  size: sql<number>`octet_length(m.content)`,
}))

const messageById = prepare((db, param, base: string) =>
  db
    .selectFrom('messages as m')
    .innerJoin('thread_members as tm', 'tm.thread_key', 'm.thread_key')
    .innerJoin('threads as t', 't.key', 'm.thread_key')
    .innerJoin('authors as a', 'a.key', 'm.author_key')
    .where('m.workspace_key', '=', param<number>('workspace'))
    .where('m.id', '=', param<string>('id'))
    .where('tm.author_key', '=', param<number>('me'))
    .select(['m.key', 'm.id', 'm.created_at', 'm.thread_key', 'm.author_key', 'm.revision'])
    .select(toSql(messageJson(db.syntax, base)).as('record')),
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

/** What the record of a message shows, but its author. */
interface OwnMessage {
  id: string
  content: string
  created_at: number
  updated_at: number
  parent_id: string | null
  thread_id: string
}

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
    content: param<string>('content'),
    markdown: param<string>('markdown'),
    created_at: param<number>('created_at'),
    updated_at: param<number>('updated_at'),
    revision: param<number>('revision'),
    via: param<string | null>('via'),
  }),
)

export async function insertMessage(db: Writer, message: NewMessage) {
  await insertStatement(db, [], { ...message })
  await addToThread(db, message.thread_key, message)
}

export const setMessageText = (
  db: Writer,
  key: number,
  { content, markdown, updated_at }: Pick<NewMessage, 'content' | 'markdown' | 'updated_at'>,
) => db.updateTable('messages').set({ content, markdown, updated_at }).where('key', '=', key).execute()

/** A message from the JSON that the database makes of it. */
export const toMessage = ({ record }: { record: string }): Message => JSON.parse(record)

/** The record of a new message, without reading it back. */
export const toNewMessage = (links: Links, message: OwnMessage, author: string): Message => ({
  id: message.id,
  content: message.content,
  created_at: timestamp(message.created_at),
  updated_at: timestamp(message.updated_at),
  parent_id: message.parent_id,
  thread_id: message.thread_id,
  author: toAuthor(links, author),
})
