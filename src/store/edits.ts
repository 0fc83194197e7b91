import { sql } from 'kysely'
import type { Viewer } from '../domain/permissions'
import { prepare, type Reader } from './engines/db'
import { findByIds, visibleComments, visibleMessages, visiblePosts } from './visible-by-id'

/** What happened to a record, and when. */
export interface EditRow {
  id: string
  edited_at: number | null
  answer_deleted_at: number | null
  via: string | null
  resolved_via: string | null
}

const none = sql<null>`NULL`

const statements = {
  posts: prepare((db, param, seesPublic: boolean) =>
    visiblePosts(db, param, seesPublic)
      .where((eb) =>
        eb.or(
          (['p.edited_at', 'p.answer_deleted_at', 'p.via', 'p.resolved_via'] as const).map((column) =>
            eb(column, 'is not', null),
          ),
        ),
      )
      .select(['p.id', 'p.edited_at', 'p.answer_deleted_at', 'p.via', 'p.resolved_via']),
  ),
  comments: prepare((db, param, seesPublic: boolean) =>
    visibleComments(db, param, seesPublic)
      .where((eb) => eb.or([eb('m.edited_at', 'is not', null), eb('m.via', 'is not', null)]))
      .select(['m.id', 'm.edited_at', 'm.via', none.as('answer_deleted_at'), none.as('resolved_via')]),
  ),
  messages: prepare((db, param) =>
    visibleMessages(db, param)
      .where('m.via', 'is not', null)
      .select(['m.id', 'm.via', none.as('edited_at'), none.as('answer_deleted_at'), none.as('resolved_via')]),
  ),
}

/**
 * Of these posts, comments and messages, those the viewer may see that have been edited, lost their answer, or were written or
 * resolved by a program.
 */
export const findEdits = (db: Reader, viewer: Viewer, ids: readonly string[]): Promise<EditRow[]> =>
  findByIds<EditRow>(db, viewer, ids, statements)
