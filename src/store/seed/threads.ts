import { sql } from 'kysely'
import { messageFields } from '../../domain/record-fields'
import { insertRows } from '../engines/bulk'
import type { Writer } from '../engines/db'
import type { Text } from './posts'

export interface NewMessage {
  id: string
  /** Which message of the same thread it answers. */
  parent?: number
  author_key: number
  text: Text
  created_at: number
  updated_at: number
}

export interface NewThread {
  id: string
  author_key: number
  title: string
  direct_pair: string | null
  created_at: number
  last_activity_at: number
  member_keys: readonly number[]
  messages: readonly NewMessage[]
}

/** Threads with those who take part and what they wrote. */
export async function insertThreads(db: Writer, workspace_key: number, threads: readonly NewThread[]) {
  const keys = await db.syntax.reserveKeys(db, 'threads', threads.length)
  await insertRows(
    db,
    'threads',
    threads.map(({ member_keys, messages, ...thread }, at) => ({
      ...thread,
      key: keys[at]!,
      workspace_key,
      updated_at: thread.last_activity_at,
      last_message_at: messages.length > 0 ? thread.last_activity_at : null,
      messages_count: messages.length,
    })),
  )
  const memberships = threads.flatMap(({ id, last_activity_at, member_keys }, at) =>
    member_keys.map((author_key) => ({
      workspace_key,
      thread_key: keys[at]!,
      author_key,
      thread_id: id,
      last_activity_at,
    })),
  )
  await insertRows(db, 'thread_members', memberships)
  for (const [count, authors] of authorsByCount(memberships))
    await db
      .updateTable('authors')
      .set({ threads_count: sql`threads_count + ${count}` })
      .where('key', 'in', authors)
      .execute()
  for (const [at, { messages }] of threads.entries())
    await insertMessages(db, workspace_key, { key: keys[at]!, id: threads[at]!.id }, messages)
}

/** Those who joined one thread, those who joined two, and so on. */
function authorsByCount(memberships: readonly { author_key: number }[]): Map<number, number[]> {
  const counts = new Map<number, number>()
  for (const { author_key } of memberships) counts.set(author_key, (counts.get(author_key) ?? 0) + 1)
  const byCount = new Map<number, number[]>()
  for (const [author, count] of counts) byCount.getOrInsertComputed(count, () => []).push(author)
  return byCount
}

async function insertMessages(
  db: Writer,
  workspace_key: number,
  thread: { key: number; id: string },
  messages: readonly NewMessage[],
) {
  const keys = await db.syntax.reserveKeys(db, 'messages', messages.length)
  await insertRows(
    db,
    'messages',
    messages.map(({ parent, text, ...message }, at) => ({
      key: keys[at]!,
      id: message.id,
      workspace_key,
      thread_key: thread.key,
      parent_key: parent === undefined ? 0 : keys[parent]!,
      author_key: message.author_key,
      created_at: message.created_at,
      updated_at: message.updated_at,
      fields: messageFields({
        ...message,
        content: text.html,
        parent_id: parent === undefined ? null : messages[parent]!.id,
        thread_id: thread.id,
      }),
      markdown: text.markdown,
    })),
  )
}
