import { sql } from 'kysely'
import type { Source } from '../contract/markdown'
import type { Viewer } from '../domain/permissions'
import { type ParamFor, prepare, type Reader } from './db'
import { channelIsOpen, viewerKeysOf, viewerParams } from './visibility'

const noNote = sql<null>`NULL`.as('resolution_markdown')

const postSources = prepare((db, param, seesPublic: boolean) => {
  const viewer = viewerParams(param, seesPublic)
  return db
    .selectFrom('posts as p')
    .innerJoin('channels as c', 'c.key', 'p.channel_key')
    .where('p.workspace_key', '=', viewer.workspace)
    .where(isAsked(db, param, 'p.id'))
    .where(channelIsOpen('c', viewer))
    .select(['p.id', 'p.markdown as content_markdown', 'p.resolved_markdown as resolution_markdown'])
})

const commentSources = prepare((db, param, seesPublic: boolean) => {
  const viewer = viewerParams(param, seesPublic)
  return db
    .selectFrom('comments as m')
    .innerJoin('posts as p', 'p.key', 'm.post_key')
    .innerJoin('channels as c', 'c.key', 'p.channel_key')
    .where('m.workspace_key', '=', viewer.workspace)
    .where(isAsked(db, param, 'm.id'))
    .where(channelIsOpen('c', viewer))
    .select(['m.id', 'm.markdown as content_markdown', noNote])
})

const messageSources = prepare((db, param) =>
  db
    .selectFrom('messages as m')
    .innerJoin('thread_members as tm', 'tm.thread_key', 'm.thread_key')
    .where('tm.author_key', '=', param<number>('me'))
    .where('m.workspace_key', '=', param<number>('workspace'))
    .where(isAsked(db, param, 'm.id'))
    .select(['m.id', 'm.markdown as content_markdown', noNote]),
)

const isAsked = ({ syntax }: Pick<Reader, 'syntax'>, param: ParamFor, id: string) =>
  syntax.isInTextJson(id, param<string>('ids'))

/** The Markdown of those of these posts that the viewer may see. */
export const findPostSources = (db: Reader, viewer: Viewer, ids: readonly string[]) =>
  findSources(postSources, db, viewer, ids)

/** The Markdown of those of these comments that the viewer may see. */
export const findCommentSources = (db: Reader, viewer: Viewer, ids: readonly string[]) =>
  findSources(commentSources, db, viewer, ids)

/** The Markdown of those of these messages that the viewer may see. */
export const findMessageSources = async (db: Reader, viewer: Viewer, ids: readonly string[]): Promise<Source[]> =>
  ids.length === 0
    ? []
    : messageSources(db, [], { workspace: viewer.workspace.key, me: viewer.author.key, ids: JSON.stringify(ids) })

async function findSources(
  statement: typeof postSources | typeof commentSources,
  db: Reader,
  viewer: Viewer,
  ids: readonly string[],
): Promise<Source[]> {
  if (ids.length === 0) return []
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  return statement(db, [seesPublic], { ...keys, ids: JSON.stringify(ids) })
}
