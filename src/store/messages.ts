import type { SelectQueryBuilder } from 'kysely'
import type { Viewer } from '../domain/permissions'
import type { AuthorRow } from './authors'
import { type Reader, slotsFor, type Writer } from './db'
import type { Ranges } from './keyset'
import { redactRecords } from './redaction'
import { addToThread } from './threads'

/** A message with everything its record shows. */
export interface MessageRow extends AuthorRow {
  key: number
  id: string
  content: string
  created_at: number
  updated_at: number
  parent_id: string | null
  thread_key: number
  thread_id: string
  author_key: number
}

// biome-ignore lint/suspicious/noExplicitAny: any query that has the table `m`
const withRecord = (query: SelectQueryBuilder<any, any, any>) =>
  query
    .innerJoin('threads as t', 't.key', 'm.thread_key')
    .innerJoin('authors as a', 'a.key', 'm.author_key')
    .leftJoin('messages as parent', 'parent.key', 'm.parent_key')
    .select([
      ...['m.key', 'm.id', 'm.content', 'm.created_at', 'm.updated_at', 'parent.id as parent_id'],
      ...['m.thread_key', 't.id as thread_id', 'm.author_key'],
      ...['a.card as author'],
    ])

/** A message this viewer may see: one of a thread they take part in. */
export async function findMessage(db: Reader, viewer: Viewer, id: string): Promise<MessageRow | undefined> {
  const [message] = await db.prepared<MessageRow>(
    'messages.find',
    (slot) =>
      withRecord(
        db
          .selectFrom('messages as m')
          .innerJoin('thread_members as tm', 'tm.thread_key', 'm.thread_key')
          .where('m.workspace_key', '=', slot<number>('workspace'))
          .where('m.id', '=', slot<string>('id'))
          .where('tm.author_key', '=', slot<number>('author')),
      ),
    { workspace: viewer.workspace.key, author: viewer.author.key, id },
  )
  return message
}

export const findMessageMarkdown = async (db: Reader, key: number): Promise<string> =>
  (await db.selectFrom('messages').where('key', '=', key).select('markdown').executeTakeFirstOrThrow()).markdown

/** The messages of a thread. */
export const messageRanges = (viewer: Viewer, threadKey: number): Ranges => ({
  table: 'messages',
  key: 'key',
  at: 'created_at',
  id: 'id',
  branches: [{ workspace_key: viewer.workspace.key, thread_key: threadKey }],
})

/** The messages with these keys, for a viewer who was found to see them. */
export const findMessages = (db: Reader, keys: readonly number[]): Promise<MessageRow[]> =>
  db.prepared<MessageRow>(
    `messages.findMany ${keys.length}`,
    (slot) => withRecord(db.selectFrom('messages as m').where('m.key', 'in', slotsFor(keys, slot))),
    { ...keys },
  )

export interface NewMessage {
  id: string
  workspace_key: number
  thread_key: number
  parent_key: number
  author_key: number
  content: string
  markdown: string
  created_at: number
}

/** Returns its author, as its record shows them. */
export async function insertMessage(db: Writer, message: NewMessage): Promise<AuthorRow> {
  const [inserted] = await db.prepared<AuthorRow>(
    'messages.insert',
    (slot) =>
      db
        .insertInto('messages')
        .values({
          id: slot<string>('id'),
          workspace_key: slot<number>('workspace_key'),
          thread_key: slot<number>('thread_key'),
          parent_key: slot<number>('parent_key'),
          author_key: slot<number>('author_key'),
          content: slot<string>('content'),
          markdown: slot<string>('markdown'),
          created_at: slot<number>('created_at'),
          updated_at: slot<number>('created_at'),
        })
        .returning((eb) =>
          eb
            .selectFrom('authors')
            .whereRef('authors.key', '=', 'messages.author_key')
            .select('card')
            .$asScalar()
            .$notNull()
            .as('author'),
        ),
    { ...message },
  )
  await addToThread(db, message.thread_key, 1, message.created_at)
  return inserted!
}

export const setMessageText = (
  db: Writer,
  key: number,
  text: { content: string; markdown: string; updated_at: number },
) => db.updateTable('messages').set(text).where('key', '=', key).execute()

/** Deletes a message, also its content in the log and in stored answers; what answered it stays, answering nothing. */
export async function deleteMessage(db: Writer, viewer: Viewer, message: MessageRow) {
  await redactRecords(db, viewer.workspace.key, [message.id])
  await db
    .updateTable('messages')
    .set({ parent_key: 0 })
    .where('workspace_key', '=', viewer.workspace.key)
    .where('thread_key', '=', message.thread_key)
    .where('parent_key', '=', message.key)
    .execute()
  await db.deleteFrom('messages').where('key', '=', message.key).execute()
  await addToThread(db, message.thread_key, -1)
}
