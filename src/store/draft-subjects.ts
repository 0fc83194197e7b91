import { sql } from 'kysely'
import { NO_PLACE } from '../contract/browser/constants'
import type { Viewer } from '../domain/permissions'
import { TITLE_END } from '../domain/record-fields'
import { prepare, type Reader } from './engines/db'
import { channelIsOpen, viewerKeysOf, viewerParams } from './visibility'
import { visibleComments, visiblePosts } from './visible-by-id'
import { visibleMembers } from './visible-members'

/** What a text is for: something with a name, or a post with the beginning of its fields. */
export interface DraftPlaceRow {
  id: string
  name: string | null
  post_id: string | null
  post_fields: string | null
  author_name: string | null
}

const none = sql<null>`NULL`
const noPost = [none.as('post_id'), none.as('post_fields'), none.as('author_name')] as const
const postTitle = sql<string>`substr(p.fields, 1, ${sql.lit(TITLE_END)})`.as('post_fields')

/** By the prefix of their ids. */
const placesById = {
  chan: prepare((db, param, seesPublic: boolean) =>
    db
      .selectFrom('channels as c')
      .where(db.syntax.hasIdInJson('c', param<number>('workspace'), param<string>('ids')))
      .where(channelIsOpen('c', viewerParams(param, seesPublic)))
      .select(['c.id', 'c.name', ...noPost]),
  ),
  post: prepare((db, param, seesPublic: boolean) =>
    visiblePosts(db, param, seesPublic).select([
      'p.id',
      'p.id as post_id',
      none.as('name'),
      postTitle,
      none.as('author_name'),
    ]),
  ),
  cmt: prepare((db, param, seesPublic: boolean) =>
    visibleComments(db, param, seesPublic)
      .where('m.is_deleted', '=', false)
      .innerJoin('authors as a', 'a.key', 'm.author_key')
      .select(['m.id', 'p.id as post_id', none.as('name'), postTitle, 'a.name as author_name']),
  ),
  thr: prepare((db, param, _seesPublic: boolean) =>
    db
      .selectFrom('threads as t')
      .innerJoin('thread_members as tm', 'tm.thread_key', 't.key')
      .where(db.syntax.hasIdInJson('t', param<number>('workspace'), param<string>('ids')))
      .where('tm.author_key', '=', param<number>('me'))
      .select(['t.id', threadName(param<number>('me')).as('name'), ...noPost]),
  ),
  mem: prepare((db, param, seesPublic: boolean) =>
    visibleMembers(db, viewerParams(param, seesPublic))
      .innerJoin('authors', 'authors.key', 'members.author_key')
      .where(db.syntax.isInTextJson('authors.id', param<string>('ids')))
      .select(['authors.id', 'authors.name', ...noPost]),
  ),
}

/** A direct message is called by the name of the other one. */
const threadName = (me: number) => sql<string>`coalesce(CASE WHEN t.direct_pair IS NOT NULL THEN
  (SELECT other.name FROM thread_members AS om JOIN authors AS other ON other.key = om.author_key
    WHERE om.thread_key = t.key AND om.author_key <> ${me} LIMIT 1) END, t.title)`

/** What texts are for, as far as the viewer can see it: one statement for each kind. */
export async function findDraftPlaces(db: Reader, viewer: Viewer, ids: readonly string[]): Promise<DraftPlaceRow[]> {
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  const rows: DraftPlaceRow[] = []
  for (const [prefix, find] of Object.entries(placesById)) {
    const asked = ids.filter((id) => id.startsWith(`${prefix}_`))
    if (asked.length > 0) rows.push(...(await find(db, [seesPublic], { ...keys, ids: JSON.stringify(asked) })))
  }
  return rows
}

/** Whether a viewer can see the place that a text is for. */
export const isDraftSubject = async (db: Reader, viewer: Viewer, id: string): Promise<boolean> =>
  id === NO_PLACE || (await findDraftPlaces(db, viewer, [id])).length > 0
