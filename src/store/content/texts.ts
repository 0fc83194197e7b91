import { sql } from 'kysely'
import type { Edit } from '../../contract/edits'
import type { Source } from '../../contract/markdown'
import type { Viewer } from '../../domain/permissions'
import { timestampOrNull } from '../../domain/timestamps'
import { findByIds, visibleComments, visibleMessages, visiblePosts } from '../access/references'
import { prepare, type Reader } from '../engines/db'

/** What happened to a record, and when. */
interface EditRow {
  id: string
  edited_at: number | null
  answer_deleted_at: number | null
  via: string | null
  resolved_via: string | null
}

const none = sql<null>`NULL`

const editStatements = {
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
 * Filters posts, comments and messages to the ones that the viewer may see and that have been edited, lost their answer, or were
 * written or resolved by a program.
 */
export const findEdits = (db: Reader, viewer: Viewer, ids: readonly string[]): Promise<EditRow[]> =>
  findByIds<EditRow>(db, viewer, ids, editStatements)

const noNote = sql<null>`NULL`.as('resolution_markdown')

const statements = {
  posts: prepare((db, param, seesPublic: boolean) =>
    visiblePosts(db, param, seesPublic).select([
      'p.id',
      'p.markdown as content_markdown',
      'p.resolved_markdown as resolution_markdown',
    ]),
  ),
  comments: prepare((db, param, seesPublic: boolean) =>
    visibleComments(db, param, seesPublic).select(['m.id', 'm.markdown as content_markdown', noNote]),
  ),
  messages: prepare((db, param) =>
    visibleMessages(db, param).select(['m.id', 'm.markdown as content_markdown', noNote]),
  ),
}

/** The Markdown of these posts, comments and messages, as far as the viewer may see them. */
export const findMarkdown = (db: Reader, viewer: Viewer, ids: readonly string[]): Promise<Source[]> =>
  findByIds<Source>(db, viewer, ids, statements)

export const toEdit = (row: EditRow): Edit => ({
  id: row.id,
  edited_at: timestampOrNull(row.edited_at),
  answer_deleted_at: timestampOrNull(row.answer_deleted_at),
  via: row.via,
  resolved_via: row.resolved_via,
})
