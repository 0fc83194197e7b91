import { sql } from 'kysely'
import type { Thread } from '../../contract/threads'
import { avatarOf } from '../../domain/avatar'
import { type Links, toAuthor } from '../../domain/links'
import { timestamp, timestampOrNull } from '../../domain/timestamps'
import type { Reader, Writer } from '../engines/db'
import { storedAuthor } from '../lists/record-json'
import type { ThreadRow } from './threads'

interface ThreadMemberRow {
  thread_key: number
  author: string
}

/** Who takes part in these threads. */
export const listThreadMembers = (db: Reader, threadKeys: readonly number[]): Promise<ThreadMemberRow[]> =>
  threadKeys.length === 0
    ? Promise.resolve([])
    : db
        .selectFrom('thread_members as tm')
        .innerJoin('authors as a', 'a.key', 'tm.author_key')
        .where('tm.thread_key', 'in', threadKeys)
        .select(['tm.thread_key', storedAuthor('a').as('author')])
        .orderBy('a.id')
        .execute()

/** Which of these apps take part in a thread. */
export async function findThreadAppKeys(db: Reader, threadKey: number, keys: readonly number[]): Promise<Set<number>> {
  const rows = await db
    .selectFrom('thread_members')
    .where('thread_key', '=', threadKey)
    .where('author_key', 'in', keys)
    .select('author_key')
    .execute()
  return new Set(rows.map((row) => row.author_key))
}

/** Someone who takes part in a thread, also if it is an app that is gone. */
export const findThreadMember = (db: Reader, threadKey: number, id: string) =>
  db
    .selectFrom('thread_members as tm')
    .innerJoin('authors as a', 'a.key', 'tm.author_key')
    .where('tm.thread_key', '=', threadKey)
    .where('a.id', '=', id)
    .select('a.key')
    .select(storedAuthor('a').as('stored'))
    .executeTakeFirst()

/** Whether a thread has another participant who can read it: not deactivated, and not a deleted app. */
export const hasOtherReaders = async (db: Reader, threadKey: number, authorKey: number): Promise<boolean> =>
  (await db
    .selectFrom('thread_members as tm')
    .leftJoin('members', 'members.author_key', 'tm.author_key')
    .leftJoin('apps', 'apps.author_key', 'tm.author_key')
    .where('tm.thread_key', '=', threadKey)
    .where('tm.author_key', '<>', authorKey)
    .where((eb) => eb.or([eb('members.is_deactivated', '=', false), eb('apps.author_key', 'is not', null)]))
    .select('tm.author_key')
    .limit(1)
    .executeTakeFirst()) !== undefined

export async function insertThreadMember(
  db: Writer,
  thread: Pick<ThreadRow, 'key' | 'id' | 'last_activity_at'>,
  { workspace_key, author_key, now }: ThreadMemberChange,
) {
  const { key: thread_key, id: thread_id, last_activity_at } = thread
  await db
    .insertInto('thread_members')
    .values({ workspace_key, thread_key, author_key, thread_id, last_activity_at })
    .execute()
  await countThread(db, author_key, 1)
  await touchThread(db, thread_key, now)
}

export async function deleteThreadMember(
  db: Writer,
  { key }: Pick<ThreadRow, 'key'>,
  { author_key, now }: Omit<ThreadMemberChange, 'workspace_key'>,
) {
  await db.deleteFrom('thread_members').where('thread_key', '=', key).where('author_key', '=', author_key).execute()
  await countThread(db, author_key, -1)
  await touchThread(db, key, now)
}

interface ThreadMemberChange {
  workspace_key: number
  author_key: number
  now: number
}

const countThread = (db: Writer, authorKey: number, change: 1 | -1) =>
  db
    .updateTable('authors')
    .set({ threads_count: sql`threads_count + ${sql.lit(change)}` })
    .where('key', '=', authorKey)
    .execute()

const touchThread = (db: Writer, key: number, updated_at: number) =>
  db.updateTable('threads').set({ updated_at }).where('key', '=', key).execute()

/** `all` may also hold the participants of other threads. */
export function toThread(links: Links, row: ThreadRow, all: readonly ThreadMemberRow[]): Thread {
  const author = toAuthor(links, row.author)
  const members = all.filter((member) => member.thread_key === row.key).map((member) => toAuthor(links, member.author))
  const is_direct = row.direct_pair !== null
  return {
    id: row.id,
    title: row.title,
    url: links.thread(row.id),
    is_direct,
    group: !is_direct,
    created_at: timestamp(row.created_at),
    updated_at: timestamp(row.updated_at),
    last_activity_at: timestamp(row.last_activity_at),
    last_message_at: timestampOrNull(row.last_message_at),
    messages_count: row.messages_count,
    avatar_urls: links.avatar(avatarOf(row.id, row.title)),
    author,
    creator: author,
    members,
    members_count: members.length,
  }
}
