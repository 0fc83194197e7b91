import { reactionSubjectTypes } from './subjects'

const BY = 'subject_type, subject_key, emoji'

/** The redundant data of reactions. `id` and `more` are as in the rules of recount.ts. */
export const reactionRules = [
  {
    query: `SELECT n.emoji AS id, n.reactions_count AS more FROM reaction_counts n
      LEFT JOIN (SELECT ${BY}, count(*) AS counted FROM reactions GROUP BY ${BY}) r
        ON r.subject_type = n.subject_type AND r.subject_key = n.subject_key AND r.emoji = n.emoji
      WHERE n.reactions_count <> coalesce(r.counted, 0)`,
    says: (id: string, more: string) => `${more} reactions with ${id} are counted, but there are others`,
  },
  {
    query: `SELECT r.emoji AS id, '' AS more FROM reactions r LEFT JOIN reaction_counts n
      ON n.subject_type = r.subject_type AND n.subject_key = r.subject_key AND n.emoji = r.emoji WHERE n.emoji IS NULL`,
    says: (id: string) => `A reaction with ${id} is not counted`,
  },
  ...(['post', 'comment', 'message'] as const).map((type) => ({
    query: `SELECT r.emoji AS id, count(*) AS more FROM reactions r
      LEFT JOIN ${type}s s ON s.key = r.subject_key AND s.workspace_key = r.workspace_key
        ${type === 'comment' ? 'AND s.is_deleted = 0' : ''}
      WHERE r.subject_type = ${reactionSubjectTypes[type]} AND s.key IS NULL GROUP BY r.emoji`,
    says: (id: string, more: string) => `${more} reactions with ${id} are to ${type}s that are gone`,
  })),
]
