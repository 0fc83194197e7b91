import { sql } from 'kysely'
import { MAX_REACTION_EMOJI, type ReactionSubject } from '../../contract/reactions'
import type { Slice } from '../../domain/lists/paging'
import { kindNumbers } from '../../domain/references'
import { prepare, type Reader, type Writer } from '../engines/db'
import { listRows } from '../lists/list'
import { storedAuthor } from '../lists/record-json'

/** Who reacts to what, and with what. */
interface OwnReaction {
  type: ReactionSubject
  subject_key: number
  author_key: number
  emoji: string
}

const insertStatement = prepare((db, param) =>
  db.insertInto('reactions').values({
    workspace_key: param<number>('workspace_key'),
    subject_type: param<number>('subject_type'),
    subject_key: param<number>('subject_key'),
    author_key: param<number>('author_key'),
    emoji: param<string>('emoji'),
    created_at: param<number>('created_at'),
  }),
)

const countInStatement = prepare((db, param) =>
  db
    .insertInto('reaction_counts')
    .values({
      subject_type: param<number>('subject_type'),
      subject_key: param<number>('subject_key'),
      emoji: param<string>('emoji'),
      reactions_count: 1,
      created_at: param<number>('created_at'),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['subject_type', 'subject_key', 'emoji'])
        .doUpdateSet({ reactions_count: sql`reaction_counts.reactions_count + 1` }),
    ),
)

/** Adds a reaction that does not exist yet. */
export async function addReaction(
  db: Writer,
  { type, ...reaction }: OwnReaction & { workspace_key: number; created_at: number },
) {
  const values = { ...reaction, subject_type: kindNumbers[type] }
  await insertStatement(db, [], values)
  await countInStatement(db, [], values)
}

const deleteStatement = prepare((db, param) =>
  db
    .deleteFrom('reactions')
    .where('subject_type', '=', param<number>('subject_type'))
    .where('subject_key', '=', param<number>('subject_key'))
    .where('author_key', '=', param<number>('author_key'))
    .where('emoji', '=', param<string>('emoji')),
)

const countOutStatement = prepare((db, param) =>
  db
    .updateTable('reaction_counts')
    .set({ reactions_count: sql`reactions_count - 1` })
    .where('subject_type', '=', param<number>('subject_type'))
    .where('subject_key', '=', param<number>('subject_key'))
    .where('emoji', '=', param<string>('emoji')),
)

const deleteCountStatement = prepare((db, param) =>
  db
    .deleteFrom('reaction_counts')
    .where('subject_type', '=', param<number>('subject_type'))
    .where('subject_key', '=', param<number>('subject_key'))
    .where('emoji', '=', param<string>('emoji')),
)

/** Removes a reaction that exists. `left` is how many others there are with this emoji. */
export async function removeReaction(db: Writer, { type, ...reaction }: OwnReaction, left: number) {
  const values = { ...reaction, subject_type: kindNumbers[type] }
  await deleteStatement(db, [], values)
  await (left === 0 ? deleteCountStatement : countOutStatement)(db, [], values)
}

const countsOfRecord = prepare((db, param) =>
  db
    .selectFrom('reaction_counts')
    .where('subject_type', '=', param<number>('subject_type'))
    .where('subject_key', '=', param<number>('subject_key'))
    .select(['emoji', 'reactions_count'])
    .limit(sql.lit(MAX_REACTION_EMOJI)),
)

const useStatement = prepare((db, param) => {
  const emoji = param<string>('emoji')
  const isOwn = sql`n.emoji = ${emoji} AND EXISTS (SELECT 1 FROM reactions AS r WHERE r.subject_type = n.subject_type
    AND r.subject_key = n.subject_key AND r.emoji = n.emoji AND r.author_key = ${param<number>('author_key')})`
  return db
    .selectFrom('reaction_counts as n')
    .where('n.subject_type', '=', param<number>('subject_type'))
    .where('n.subject_key', '=', param<number>('subject_key'))
    .select(['n.emoji', 'n.reactions_count', sql<number>`CASE WHEN ${isOwn} THEN 1 ELSE 0 END`.as('has_reacted')])
    .limit(sql.lit(MAX_REACTION_EMOJI))
})

/** How often an emoji was used on a record, whether by this author, and whether there is still room for it. */
export async function findEmojiUse(db: Reader, { type, ...reaction }: OwnReaction) {
  const all = await useStatement(db, [], { ...reaction, subject_type: kindNumbers[type] })
  const use = all.find(({ emoji }) => emoji === reaction.emoji)
  return {
    count: use?.reactions_count ?? 0,
    hasReacted: use?.has_reacted === 1,
    hasRoom: use !== undefined || all.length < MAX_REACTION_EMOJI,
  }
}

/** How often each emoji was used on a record. */
export const listEmojiCounts = (db: Reader, type: ReactionSubject, subject_key: number) =>
  countsOfRecord(db, [], { subject_type: kindNumbers[type], subject_key })

/** One slice of the reactions to a record with these emoji, sorted by key, and how many there are. The emoji is only part of the cursor. */
export const listReactions = (
  db: Reader,
  type: ReactionSubject,
  subject_key: number,
  emoji: readonly string[],
  slice: Slice,
) => {
  const subject = { subject_type: kindNumbers[type], subject_key }
  const list = {
    ...{ table: 'reactions', key: 'key', at: 'key', id: 'emoji', records: null },
    ranges: emoji.map((one) => ({ ...subject, emoji: one })),
  }
  const total = sql<number>`(SELECT coalesce(sum(reactions_count), 0) FROM reaction_counts WHERE subject_type = ${subject.subject_type}
    AND subject_key = ${subject_key} AND emoji IN (${sql.join(emoji)}))`
  return listRows(
    db,
    list,
    slice,
    (keys) =>
      keys
        .innerJoin('reactions as r', 'r.key', 'k.key')
        .innerJoin('authors as a', 'a.key', 'r.author_key')
        .select(['r.emoji', 'r.created_at', storedAuthor('a').as('author')]),
    total,
  )
}

/** A reaction with its author. */
export type ReactionRow = Awaited<ReturnType<typeof listReactions>>['found']['rows'][number]
