import type { SelectQueryBuilder } from 'kysely'
import { sharedWith } from './authors'
import type { Reader } from './engines/db'
import type { Tables } from './schema'
import type { ViewerKeys } from './visibility'

export type Members = SelectQueryBuilder<Tables, 'members', object>

/** The members this viewer may see: all of the workspace, or for a guest those they share a channel or a thread with. */
export function visibleMembers(db: Reader, viewer: ViewerKeys, from: Members = db.selectFrom('members')): Members {
  const members = from.where('members.workspace_key', '=', viewer.workspace)
  if (viewer.seesPublic) return members
  return members.where((eb) =>
    eb.or([eb('members.author_key', '=', viewer.me), eb('members.author_key', 'in', sharedWith(db, viewer))]),
  )
}
