import { insertRows } from '../engines/bulk'
import type { Writer } from '../engines/db'
import { reactionSubjectTypes } from '../reactions/subjects'

export interface NewReaction {
  author_key: number
  emoji: string
  created_at: number
}

/** Reactions to posts, and how many there are of each emoji. */
export async function insertReactions(
  db: Writer,
  workspace_key: number,
  posts: readonly { key: number; reactions: readonly NewReaction[] }[],
) {
  const subject_type = reactionSubjectTypes.post
  const ofPosts = posts.map(({ key, reactions }) => ({ subject_type, subject_key: key, reactions }))
  await insertRows(
    db,
    'reactions',
    ofPosts.flatMap(({ reactions, ...subject }) =>
      reactions.map((reaction) => ({ workspace_key, ...subject, ...reaction })),
    ),
  )
  await insertRows(
    db,
    'reaction_counts',
    ofPosts.flatMap(({ reactions, ...subject }) =>
      [...Map.groupBy(reactions, ({ emoji }) => emoji)].map(([emoji, same]) => ({
        ...subject,
        emoji,
        reactions_count: same.length,
        created_at: same[0]!.created_at,
      })),
    ),
  )
}
