import { type RawBuilder, sql } from 'kysely'
import { MAX_REACTION_NAMES } from '../../contract/browser/constants'
import type { Reaction, ReactionSubject, RecordReactions } from '../../contract/reactions'
import { type Links, toAuthor } from '../../domain/links'
import { kindNumbers } from '../../domain/references'
import { timestamp } from '../../domain/timestamps'
import { prepareVisible } from '../access/references'
import type { ParamFor } from '../engines/db'
import type { SqlSyntax } from '../engines/syntax'
import { AUTHOR_SEPARATOR } from '../lists/record-json'
import type { ReactionRow } from './reactions'

/** An emoji that was used on a record, and by whom. */
interface EmojiCountRow {
  id: string
  emoji: string
  reactions_count: number
  created_at: number
  has_reacted: number
  /** The names of the first authors, separated by `AUTHOR_SEPARATOR`. */
  names: string
  picture: string | null
}

const SAME = sql`r.subject_type = n.subject_type AND r.subject_key = n.subject_key AND r.emoji = n.emoji`

/** Reads only the first few reactions and the viewer's own, so that the cost does not depend on how many people reacted. */
function columnsOf(syntax: SqlSyntax, param: ParamFor) {
  const first = sql`(SELECT a.name AS name, r.key AS key FROM reactions AS r JOIN authors AS a ON a.key = r.author_key
    WHERE ${SAME} ORDER BY r.key LIMIT ${sql.lit(MAX_REACTION_NAMES)}) AS earliest`
  const names = syntax.joinInOrder(sql`name`, AUTHOR_SEPARATOR, sql`ORDER BY key`)
  return [
    sql<number>`CASE WHEN EXISTS (SELECT 1 FROM reactions AS r WHERE ${SAME} AND r.author_key = ${param<number>('author')})
      THEN 1 ELSE 0 END`.as('has_reacted'),
    sql<string>`(SELECT ${names} FROM ${first})`.as('names'),
    sql<string | null>`(SELECT e.picture FROM custom_emoji AS e WHERE e.workspace_key = ${param<number>('workspace')}
      AND e.name = n.emoji)`.as('picture'),
  ] as const
}

const counted = ['n.emoji', 'n.reactions_count', 'n.created_at'] as const
const number = (kind: ReactionSubject): RawBuilder<number> => sql.lit(kindNumbers[kind])

/** How often each emoji was used on those of the records that the viewer may see. */
export const findEmojiCounts = prepareVisible<EmojiCountRow>({
  post: (posts, param, { syntax }) =>
    posts
      .innerJoin('reaction_counts as n', (join) =>
        join.on('n.subject_type', '=', number('post')).onRef('n.subject_key', '=', 'record.key'),
      )
      .select(['record.id', ...counted, ...columnsOf(syntax, param)]),
  comment: (comments, param, { syntax }) =>
    comments
      .innerJoin('reaction_counts as n', (join) =>
        join.on('n.subject_type', '=', number('comment')).onRef('n.subject_key', '=', 'record.key'),
      )
      .select(['record.id', ...counted, ...columnsOf(syntax, param)]),
  message: (messages, param, { syntax }) =>
    messages
      .innerJoin('reaction_counts as n', (join) =>
        join.on('n.subject_type', '=', number('message')).onRef('n.subject_key', '=', 'record.key'),
      )
      .select(['record.id', ...counted, ...columnsOf(syntax, param)]),
})

export const toReaction = (links: Links, { emoji, author, created_at }: ReactionRow): Reaction => ({
  emoji,
  author: toAuthor(links, author),
  created_at: timestamp(created_at),
})

/** The reactions of each record, each emoji in the order in which they were first used. */
export function toRecordReactions(links: Links, rows: readonly EmojiCountRow[]): RecordReactions[] {
  const byRecord = Map.groupBy(rows, ({ id }) => id)
  return [...byRecord].map(([subject_id, counts]) => ({
    subject_id,
    reactions: counts.sort(compareFirstUse).map((row) => ({
      emoji: row.emoji,
      count: row.reactions_count,
      has_reacted: row.has_reacted === 1,
      names: row.names.split(AUTHOR_SEPARATOR),
      url: row.picture === null ? null : links.emoji(row.picture),
    })),
  }))
}

const compareFirstUse = (one: EmojiCountRow, other: EmojiCountRow) =>
  one.created_at - other.created_at || (one.emoji < other.emoji ? -1 : 1)
