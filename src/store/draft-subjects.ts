import { NO_PLACE } from '../contract/drafts'
import type { Viewer } from '../domain/permissions'
import { findSubject } from './attention/find-subject'
import type { Reader } from './db'
import { prepare } from './db'
import { viewerKeysOf } from './visibility'
import { visibleComments } from './visible-by-id'
import { visibleMembers } from './visible-members'

const commentsById = prepare((db, param, seesPublic: boolean) => visibleComments(db, param, seesPublic).select('m.key'))

/** Whether a viewer can see the place that a text is for. */
export async function isDraftSubject(db: Reader, viewer: Viewer, id: string): Promise<boolean> {
  if (id === NO_PLACE) return true
  const { seesPublic, ...keys } = viewerKeysOf(viewer)
  if (id.startsWith('cmt_'))
    return (await commentsById(db, [seesPublic], { ...keys, ids: JSON.stringify([id]) })).length > 0
  if (!id.startsWith('mem_')) return (await findSubject(db, viewer, id)) !== undefined

  const member = await visibleMembers(db, { seesPublic, ...keys })
    .innerJoin('authors', 'authors.key', 'members.author_key')
    .where('authors.id', '=', id)
    .select('members.author_key')
    .executeTakeFirst()
  return member !== undefined
}
