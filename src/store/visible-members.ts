import type { SelectQueryBuilder } from 'kysely'
import { neighboursOf } from './authors'
import type { Reader } from './db'
import type { Tables } from './schema'
import type { Asking } from './visibility'

export type Members = SelectQueryBuilder<Tables, 'members', object>

/** The members this viewer may see: all of the workspace, or for a guest those they share a channel or a thread with. */
export function visibleMembers(db: Reader, asking: Asking, from: Members = db.selectFrom('members')): Members {
  const members = from.where('members.workspace_key', '=', asking.workspace)
  if (asking.seesPublic) return members
  return members.where((eb) =>
    eb.or([eb('members.author_key', '=', asking.me), eb('members.author_key', 'in', neighboursOf(db, asking))]),
  )
}
