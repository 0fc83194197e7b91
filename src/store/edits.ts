import { sql } from 'kysely'
import type { Viewer } from '../domain/permissions'
import { type ParamFor, prepare, type Reader } from './db'
import { channelIsOpen, viewerKeysOf, viewerParams } from './visibility'

/** What happened to a record, and when. */
export interface EditRow {
  id: string
  edited_at: number | null
  answer_deleted_at: number | null
}

const postEdits = prepare((db, param, seesPublic: boolean) => {
  const viewer = viewerParams(param, seesPublic)
  return db
    .selectFrom('posts as p')
    .innerJoin('channels as c', 'c.key', 'p.channel_key')
    .where('p.workspace_key', '=', viewer.workspace)
    .where(isAsked(db, param, 'p.id'))
    .where((eb) => eb.or([eb('p.edited_at', 'is not', null), eb('p.answer_deleted_at', 'is not', null)]))
    .where(channelIsOpen('c', viewer))
    .select(['p.id', 'p.edited_at', 'p.answer_deleted_at'])
})

const commentEdits = prepare((db, param, seesPublic: boolean) => {
  const viewer = viewerParams(param, seesPublic)
  return db
    .selectFrom('comments as m')
    .innerJoin('posts as p', 'p.key', 'm.post_key')
    .innerJoin('channels as c', 'c.key', 'p.channel_key')
    .where('m.workspace_key', '=', viewer.workspace)
    .where(isAsked(db, param, 'm.id'))
    .where('m.edited_at', 'is not', null)
    .where(channelIsOpen('c', viewer))
    .select(['m.id', 'm.edited_at', sql<null>`NULL`.as('answer_deleted_at')])
})

const isAsked = ({ syntax }: Pick<Reader, 'syntax'>, param: ParamFor, id: string) =>
  syntax.isInTextJson(id, param<string>('ids'))

/** Of these posts, those the viewer may see that have been edited or lost their answer. */
export const findPostEdits = (db: Reader, viewer: Viewer, ids: readonly string[]) =>
  findEdits(postEdits, db, viewer, ids)

/** Of these comments, those the viewer may see that have been edited. */
export const findCommentEdits = (db: Reader, viewer: Viewer, ids: readonly string[]) =>
  findEdits(commentEdits, db, viewer, ids)

async function findEdits(
  statement: typeof postEdits | typeof commentEdits,
  db: Reader,
  viewer: Viewer,
  ids: readonly string[],
): Promise<EditRow[]> {
  if (ids.length === 0) return []
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  return statement(db, [seesPublic], { ...keys, ids: JSON.stringify(ids) })
}
