import type { Reaction, RecordReactions } from '../contract/reactions'
import { type Links, toAuthor } from '../domain/links'
import { timestamp } from '../domain/timestamps'
import type { ReactionRow } from '../store/reactions'
import type { EmojiCountRow } from '../store/reactions/summaries'

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
      names: (JSON.parse(`[${row.authors}]`) as { name: string }[]).map(({ name }) => name),
      url: row.picture === null ? null : links.emoji(row.picture),
    })),
  }))
}

const compareFirstUse = (one: EmojiCountRow, other: EmojiCountRow) =>
  one.created_at - other.created_at || (one.emoji < other.emoji ? -1 : 1)
