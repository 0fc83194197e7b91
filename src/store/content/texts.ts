import { sql } from 'kysely'
import type { Edit } from '../../contract/edits'
import type { Source } from '../../contract/markdown'
import { timestampOrNull } from '../../domain/timestamps'
import { prepareVisible } from '../access/references'

/** What happened to a record, and when. */
interface EditRow {
  id: string
  edited_at: number | null
  answer_deleted_at: number | null
  via: string | null
  resolved_via: string | null
}

const none = sql<null>`NULL`
const postEdits = ['record.edited_at', 'record.answer_deleted_at', 'record.via', 'record.resolved_via'] as const

/**
 * Filters posts, comments and messages to the ones that the viewer may see and that have been edited, lost their answer, or were
 * written or resolved by a program.
 */
export const findEdits = prepareVisible<EditRow>({
  post: (posts) =>
    posts
      .where((eb) => eb.or(postEdits.map((column) => eb(column, 'is not', null))))
      .select(['record.id', ...postEdits]),
  comment: (comments) =>
    comments
      .where((eb) => eb.or([eb('record.edited_at', 'is not', null), eb('record.via', 'is not', null)]))
      .select(['record.id', 'record.edited_at', 'record.via', none.as('answer_deleted_at'), none.as('resolved_via')]),
  message: (messages) =>
    messages
      .where('record.via', 'is not', null)
      .select(['record.id', 'record.via', none.as('edited_at'), none.as('answer_deleted_at'), none.as('resolved_via')]),
})

const noNote = none.as('resolution_markdown')

/** The Markdown of these posts, comments and messages, as far as the viewer may see them. */
export const findMarkdown = prepareVisible<Source>({
  post: (posts) =>
    posts.select([
      'record.id',
      'record.markdown as content_markdown',
      'record.resolved_markdown as resolution_markdown',
    ]),
  comment: (comments) => comments.select(['record.id', 'record.markdown as content_markdown', noNote]),
  message: (messages) => messages.select(['record.id', 'record.markdown as content_markdown', noNote]),
})

export const toEdit = (row: EditRow): Edit => ({
  id: row.id,
  edited_at: timestampOrNull(row.edited_at),
  answer_deleted_at: timestampOrNull(row.answer_deleted_at),
  via: row.via,
  resolved_via: row.resolved_via,
})
