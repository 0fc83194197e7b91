import { sql } from 'kysely'
import type { Viewer } from '../domain/permissions'
import { type ParamFor, prepare, type Reader } from './db'
import { channelIsOpen, viewerKeysOf, viewerParams } from './visibility'

/** What happened to a record, and when. */
export interface EditRow {
  id: string
  edited_at: number | null
  answer_deleted_at: number | null
  via: string | null
  resolved_via: string | null
}

const none = sql<null>`NULL`

const postEdits = prepare((db, param, seesPublic: boolean) => {
  const viewer = viewerParams(param, seesPublic)
  return db
    .selectFrom('posts as p')
    .innerJoin('channels as c', 'c.key', 'p.channel_key')
    .where('p.workspace_key', '=', viewer.workspace)
    .where(isAsked(db, param, 'p.id'))
    .where((eb) =>
      eb.or(
        (['p.edited_at', 'p.answer_deleted_at', 'p.via', 'p.resolved_via'] as const).map((column) =>
          eb(column, 'is not', null),
        ),
      ),
    )
    .where(channelIsOpen('c', viewer))
    .select(['p.id', 'p.edited_at', 'p.answer_deleted_at', 'p.via', 'p.resolved_via'])
})

const commentEdits = prepare((db, param, seesPublic: boolean) => {
  const viewer = viewerParams(param, seesPublic)
  return db
    .selectFrom('comments as m')
    .innerJoin('posts as p', 'p.key', 'm.post_key')
    .innerJoin('channels as c', 'c.key', 'p.channel_key')
    .where('m.workspace_key', '=', viewer.workspace)
    .where(isAsked(db, param, 'm.id'))
    .where((eb) => eb.or([eb('m.edited_at', 'is not', null), eb('m.via', 'is not', null)]))
    .where(channelIsOpen('c', viewer))
    .select(['m.id', 'm.edited_at', 'm.via', none.as('answer_deleted_at'), none.as('resolved_via')])
})

const messageEdits = prepare((db, param) =>
  db
    .selectFrom('messages as m')
    .innerJoin('thread_members as tm', 'tm.thread_key', 'm.thread_key')
    .where('tm.author_key', '=', param<number>('me'))
    .where('m.workspace_key', '=', param<number>('workspace'))
    .where(isAsked(db, param, 'm.id'))
    .where('m.via', 'is not', null)
    .select(['m.id', 'm.via', none.as('edited_at'), none.as('answer_deleted_at'), none.as('resolved_via')]),
)

const isAsked = ({ syntax }: Pick<Reader, 'syntax'>, param: ParamFor, id: string) =>
  syntax.isInTextJson(id, param<string>('ids'))

/** Of these posts, those the viewer may see that have been edited, lost their answer, or were written or resolved by a program. */
export const findPostEdits = (db: Reader, viewer: Viewer, ids: readonly string[]) =>
  findEdits(postEdits, db, viewer, ids)

/** Of these comments, those the viewer may see that have been edited, or were written by a program. */
export const findCommentEdits = (db: Reader, viewer: Viewer, ids: readonly string[]) =>
  findEdits(commentEdits, db, viewer, ids)

/** Of these messages, those the viewer may see that were written by a program. */
export const findMessageEdits = async (db: Reader, viewer: Viewer, ids: readonly string[]): Promise<EditRow[]> =>
  ids.length === 0
    ? []
    : messageEdits(db, [], { workspace: viewer.workspace.key, me: viewer.author.key, ids: JSON.stringify(ids) })

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
