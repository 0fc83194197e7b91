import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Viewer } from '../../domain/permissions'
import { type AttentionKind, type AttentionSubject, attentionNumbers } from '../../domain/references'
import { prepare, type Reader, type Writer } from '../engines/db'

export type OwnSubject = Pick<AttentionSubject, 'kind' | 'key' | 'channel_key'>

const newerOf = (one: string, other: string) => `CASE WHEN ${one} >= ${other} THEN ${one} ELSE ${other} END`
const revisionOf = (position: string) => `coalesce(${position}.revision, 0)`

/** Up to which revision a member has read a channel, or everything. */
export const channelReadUpToText = (channel: string, member: string): string =>
  newerOf(revisionOf(channel), `${member}.read_revision`)

/**
 * Up to which revision a member has read a subject, as SQL: `own` and `channel` are rows of `read_positions` and may be of outer joins,
 * `member` is their row of `members`. Of what is marked as unread, only the own position counts. This is the one definition of unread.
 */
export const readUpToText = (own: string, channel: string, member: string): string =>
  `CASE WHEN ${own}.is_marked_unread = 1 THEN ${own}.revision
    ELSE ${newerOf(revisionOf(own), channelReadUpToText(channel, member))} END`

export const readUpTo = (own: string, channel: string, member: string): RawBuilder<number> =>
  sql.raw(`(${readUpToText(own, channel, member)})`)

/** Whether something happened after what was read. */
export const isUnread = (activity: string, own: string, channel: string, member: string): RawBuilder<SqlBool> =>
  sql.raw(`(${activity} > ${readUpToText(own, channel, member)})`)

/** Up to which revision the entries of a channel are read: with the channel, with everything, or with the inbox. */
export const entriesReadUpToText = (channel: string, member: string): string =>
  newerOf(`${member}.inbox_revision`, channelReadUpToText(channel, member))

/** Whether an entry of an inbox is unread. `channel` is the position in the channel of its post. */
export const entryIsUnreadText = (entry: string, channel: string, member: string): string =>
  `(${entry}.is_marked_unread = 1 OR (${entry}.is_read = 0 AND ${entry}.revision > ${entriesReadUpToText(channel, member)}))`

export const entryIsUnread = (entry: string, channel: string, member: string): RawBuilder<SqlBool> =>
  sql.raw(entryIsUnreadText(entry, channel, member))

/** A condition as a column named `is_…`, which rows have as a boolean: PostgreSQL converts the numbers that are wide. */
export const toFlag = (condition: RawBuilder<SqlBool>): RawBuilder<boolean> =>
  sql`CAST(CASE WHEN ${condition} THEN 1 ELSE 0 END AS bigint)`

/** Joins a position of a member, by the names that rows have in a statement. */
export const joinPosition = (name: string, kind: AttentionKind, subject: string, author: string | number) =>
  sql`LEFT JOIN read_positions AS ${sql.ref(name)} ON ${sql.ref(`${name}.kind`)} = ${sql.lit(attentionNumbers[kind])}
    AND ${sql.ref(`${name}.subject_key`)} = ${sql.ref(subject)}
    AND ${sql.ref(`${name}.author_key`)} = ${typeof author === 'string' ? sql.ref(author) : author}`

/** Which row of `read_positions` a subject is to the viewer. */
export const rowOf = (viewer: Viewer, { kind, key, channel_key }: OwnSubject) => ({
  author_key: viewer.author.key,
  kind: attentionNumbers[kind],
  subject_key: key,
  channel_key,
})
export const primaryKey = ['kind', 'subject_key', 'author_key'] as const

/** How far a member has read a post, a thread or a channel. */
export interface ReadState {
  /** Up to this revision by its own position. */
  own: number
  isMarkedUnread: boolean
  /** Up to this revision because they read everything, or everything in its channel. */
  others: number
  /** Entries of the subject in their inbox. */
  entries: EntryState[]
}

const entryStates = prepare((_, param) => {
  const me = param<number>('me')
  return sql<EntryState>`SELECT e.key, e.revision, e.about,
      ${toFlag(entryIsUnread('e', 'place', 'm'))} AS is_unread
    FROM inbox_entries AS e JOIN members AS m ON m.author_key = ${me}
    ${joinPosition('place', 'channel', 'e.channel_key', 'e.author_key')}
    WHERE e.kind = ${param<number>('kind')} AND e.subject_key = ${param<number>('key')} AND e.author_key = ${me}`
})

interface EntryState {
  key: number
  revision: number
  about: string
  is_unread: boolean
}

const positionByKey = prepare((db, param) =>
  db
    .selectFrom('read_positions')
    .where('author_key', '=', param<number>('me'))
    .where('kind', '=', param<number>('kind'))
    .where('subject_key', '=', param<number>('key'))
    .select(['revision', 'is_marked_unread']),
)

const memberByKey = prepare((db, param) =>
  db.selectFrom('members').where('author_key', '=', param<number>('me')).select('read_revision'),
)

const inboxPosition = prepare((db, param) =>
  db.selectFrom('inbox_positions').where('workspace_key', '=', param<number>('workspace')).select('revision'),
)

/** Up to which revision the log is in the inboxes. */
export async function findFilledRevision(db: Reader, viewer: Viewer): Promise<number> {
  const [position] = await inboxPosition(db, [], { workspace: viewer.workspace.key })
  return position!.revision
}

/** Up to which revision a member has read everything. */
export async function findReadRevision(db: Reader, viewer: Viewer): Promise<number> {
  const [member] = await memberByKey(db, [], { me: viewer.author.key })
  return member!.read_revision
}

export async function findReadState(db: Reader, viewer: Viewer, subject: AttentionSubject): Promise<ReadState> {
  const me = viewer.author.key
  const find = async (kind: AttentionKind, key: number) =>
    (await positionByKey(db, [], { me, kind: attentionNumbers[kind], key }))[0]
  const own = await find(subject.kind, subject.key)
  const channel = subject.kind === 'post' ? await find('channel', subject.channel_key) : own
  const ofChannel = subject.kind === 'thread' ? 0 : (channel?.revision ?? 0)
  return {
    own: own?.revision ?? -1,
    isMarkedUnread: own?.is_marked_unread ?? false,
    others: Math.max(ofChannel, await findReadRevision(db, viewer)),
    entries: await entryStates(db, [], { me, kind: attentionNumbers[subject.kind], key: subject.key }),
  }
}

/** Up to which revision it is read. */
export const positionOf = ({ own, isMarkedUnread, others }: ReadState): number =>
  isMarkedUnread ? own : Math.max(own, others)

const readEntriesStatement = prepare((db, param) =>
  db
    .updateTable('inbox_entries')
    .set({ is_read: true, is_marked_unread: false })
    .where('kind', '=', param<number>('kind'))
    .where('subject_key', '=', param<number>('key'))
    .where('author_key', '=', param<number>('me'))
    .where('revision', '<=', param<number>('upTo'))
    .where(sql<SqlBool>`(is_read = 0 OR is_marked_unread = 1)`),
)

/** Reads the entries of a subject up to a revision. */
export const readEntriesOf = (db: Writer, me: number, { kind, key }: Pick<OwnSubject, 'kind' | 'key'>, upTo: number) =>
  readEntriesStatement(db, [], { me, kind: attentionNumbers[kind], key, upTo })

/**
 * Marks a subject as read up to a revision, and its entries in the inbox with it. To read all of it, that is the present revision of
 * the workspace: also what only told of it, such as a mention that was added later, is read then. What was marked as unread can
 * stay so, from a later revision on.
 */
export async function setRead(db: Writer, viewer: Viewer, subject: OwnSubject, upTo: number, staysMarked = false) {
  await db
    .insertInto('read_positions')
    .values({ ...rowOf(viewer, subject), revision: upTo, is_marked_unread: staysMarked })
    .onConflict((conflict) =>
      conflict.columns(primaryKey).doUpdateSet({
        revision: sql`CASE WHEN read_positions.is_marked_unread = 1 OR read_positions.revision < ${upTo}
          THEN ${upTo} ELSE read_positions.revision END`,
        is_marked_unread: staysMarked,
      }),
    )
    .execute()
  await readEntriesOf(db, viewer.author.key, subject, upTo)
}

/** Marks a subject as unread after a revision, and these entries of it in the inbox. */
export async function setUnread(
  db: Writer,
  viewer: Viewer,
  subject: OwnSubject,
  after: number,
  entryKeys: readonly number[],
) {
  const marked = { revision: after, is_marked_unread: true }
  await db
    .insertInto('read_positions')
    .values({ ...rowOf(viewer, subject), ...marked })
    .onConflict((conflict) => conflict.columns(primaryKey).doUpdateSet(marked))
    .execute()
  await markEntriesUnread(db, entryKeys)
}

export const markEntriesUnread = async (db: Writer, keys: readonly number[]) =>
  keys.length > 0 &&
  (await db
    .updateTable('inbox_entries')
    .set({ is_read: false, is_marked_unread: true })
    .where('key', 'in', keys)
    .execute())

const ownStatement = prepare((db, param) =>
  db
    .insertInto('read_positions')
    .values({
      author_key: param<number>('me'),
      kind: param<number>('kind'),
      subject_key: param<number>('key'),
      channel_key: param<number>('channel'),
      revision: param<number>('upTo'),
    })
    .onConflict((conflict) =>
      conflict.columns(primaryKey).doUpdateSet({ revision: sql`excluded.revision`, is_marked_unread: false }),
    ),
)

/** What someone did to a post or a thread is read by them, and all before it. Apps read nothing. */
export async function readOwnActivity(
  db: Writer,
  { author }: Pick<Viewer, 'author'>,
  subject: { kind: Exclude<AttentionKind, 'channel'>; key: number; channel_key?: number },
  upTo: number,
) {
  if (author.type === 'app') return
  const { kind, key, channel_key: channel = 0 } = subject
  const position = { me: author.key, kind: attentionNumbers[kind], key, upTo }
  await ownStatement(db, [], { ...position, channel })
  await readEntriesStatement(db, [], position)
}

/** What a member has marked as unread, in a channel or everywhere, is so no more. Says whether there was any. */
export async function clearMarks(
  db: Writer,
  viewer: Viewer,
  table: 'read_positions' | 'inbox_entries',
  channelKey?: number,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable(table)
    .set({ is_marked_unread: false })
    .where('author_key', '=', viewer.author.key)
    .$if(channelKey !== undefined, (marked) => marked.where('channel_key', '=', channelKey!))
    .where(sql<SqlBool>`is_marked_unread = 1`)
    .executeTakeFirst()
  return numUpdatedRows > 0
}

/** Everything up to a revision is read, or only the entries of the inbox. */
export const setEverythingRead = (
  db: Writer,
  viewer: Viewer,
  revision: number,
  column: 'read_revision' | 'inbox_revision' = 'read_revision',
) =>
  db
    .updateTable('members')
    .set({ [column]: revision })
    .where('author_key', '=', viewer.author.key)
    .execute()

/** The revision of the first comment or message of a post or thread after a revision. */
export async function findNextRevision(db: Reader, { kind, key }: AttentionSubject, revision: number) {
  const first = { after: revision, key }
  const [next] = kind === 'post' ? await commentAfter(db, [], first) : await messageAfter(db, [], first)
  return next?.revision
}

const commentAfter = prepare((db, param) =>
  db
    .selectFrom('comments')
    .where('post_key', '=', param<number>('key'))
    .where('revision', '>', param<number>('after'))
    .where('is_deleted', '=', false)
    .select('revision')
    .orderBy('revision')
    .limit(1),
)

const messageAfter = prepare((db, param) =>
  db
    .selectFrom('messages')
    .where('thread_key', '=', param<number>('key'))
    .where('revision', '>', param<number>('after'))
    .select('revision')
    .orderBy('revision')
    .limit(1),
)
