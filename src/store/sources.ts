import { sql } from 'kysely'
import type { Source } from '../contract/markdown'
import type { Viewer } from '../domain/permissions'
import { prepare, type Reader } from './engines/db'
import { findByIds, visibleComments, visibleMessages, visiblePosts } from './visible-by-id'

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

/** The Markdown of those of these posts, comments and messages that the viewer may see. */
export const findSources = (db: Reader, viewer: Viewer, ids: readonly string[]): Promise<Source[]> =>
  findByIds<Source>(db, viewer, ids, statements)
