import { sql } from 'kysely'
import { MAX_REACTION_EMOJI, type ReactionSubject } from '../contract/reactions'
import { inBatches } from './bulk'
import { prepare, type Reader, type Writer } from './db'
import { authorCard } from './json'
import type { IndexRanges } from './keyset'
import { prepareRows } from './pages'
import { reactionSubjectTypes } from './reactions/subjects'

/** Who reacts to what, and with what. */
export interface OwnReaction {
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
    )
    .returning('reactions_count'),
)

/** Adds a reaction that does not exist yet. Returns how many there are with this emoji now. */
export async function addReaction(
  db: Writer,
  { type, ...reaction }: OwnReaction & { workspace_key: number; created_at: number },
): Promise<number> {
  const values = { ...reaction, subject_type: reactionSubjectTypes[type] }
  await insertStatement(db, [], values)
  const [counted] = await countInStatement(db, [], values)
  return counted!.reactions_count
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
    .where('emoji', '=', param<string>('emoji'))
    .returning('reactions_count'),
)

const deleteCountStatement = prepare((db, param) =>
  db
    .deleteFrom('reaction_counts')
    .where('subject_type', '=', param<number>('subject_type'))
    .where('subject_key', '=', param<number>('subject_key'))
    .where('emoji', '=', param<string>('emoji')),
)

/** Removes a reaction that exists. Returns how many are left with this emoji. */
export async function removeReaction(db: Writer, { type, ...reaction }: OwnReaction): Promise<number> {
  const values = { ...reaction, subject_type: reactionSubjectTypes[type] }
  await deleteStatement(db, [], values)
  const [counted] = await countOutStatement(db, [], values)
  if (counted!.reactions_count === 0) await deleteCountStatement(db, [], values)
  return counted!.reactions_count
}

const countsOfRecord = prepare((db, param) =>
  db
    .selectFrom('reaction_counts')
    .where('subject_type', '=', param<number>('subject_type'))
    .where('subject_key', '=', param<number>('subject_key'))
    .select(['emoji', 'reactions_count'])
    .limit(sql.lit(MAX_REACTION_EMOJI)),
)

const ownStatement = prepare((db, param) =>
  db
    .selectFrom('reactions')
    .where('subject_type', '=', param<number>('subject_type'))
    .where('subject_key', '=', param<number>('subject_key'))
    .where('author_key', '=', param<number>('author_key'))
    .where('emoji', '=', param<string>('emoji'))
    .select('key'),
)

/** Whether someone has reacted to a record with this emoji. */
export async function hasReacted(db: Reader, { type, ...reaction }: OwnReaction): Promise<boolean> {
  const found = await ownStatement(db, [], { ...reaction, subject_type: reactionSubjectTypes[type] })
  return found.length > 0
}

/** How often each emoji was used on a record. */
export const listEmojiCounts = (db: Reader, type: ReactionSubject, subject_key: number) =>
  countsOfRecord(db, [], { subject_type: reactionSubjectTypes[type], subject_key })

/** The reactions to a record with these emoji, sorted by key. The emoji is only part of the cursor. */
export const reactionRanges = (type: ReactionSubject, subject_key: number, emoji: readonly string[]): IndexRanges => ({
  table: 'reactions',
  key: 'key',
  at: 'key',
  id: 'emoji',
  ranges: emoji.map((one) => ({ subject_type: reactionSubjectTypes[type], subject_key, emoji: one })),
})

/** A reaction with its author. */
export interface ReactionRow {
  emoji: string
  created_at: number
  author: string
}

export const readReactions = prepareRows<ReactionRow>((db, keys) =>
  db
    .selectFrom(keys)
    .innerJoin('reactions as r', 'r.key', 'k.key')
    .innerJoin('authors as a', 'a.key', 'r.author_key')
    .select(['r.emoji', 'r.created_at', authorCard('a').as('author')]),
)

/** Removes all reactions to records that are deleted. */
export async function deleteReactions(db: Writer, type: ReactionSubject, keys: readonly number[]) {
  const subject_type = reactionSubjectTypes[type]
  await inBatches(keys, async (some) => {
    for (const table of ['reactions', 'reaction_counts'] as const)
      await db.deleteFrom(table).where('subject_type', '=', subject_type).where('subject_key', 'in', some).execute()
  })
}
