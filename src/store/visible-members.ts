import type { SelectQueryBuilder } from 'kysely'
import { seesPublic, type Viewer } from '../domain/permissions'
import type { Reader } from './db'
import type { Tables } from './schema'

export type Members = SelectQueryBuilder<Tables, 'members', object>

/** Who asks, by their keys or by places for them in a prepared statement. */
interface Asking {
  workspace: number
  me: number
  seesAll: boolean
}

export const askingOf = (viewer: Viewer): Asking => ({
  workspace: viewer.workspace.key,
  me: viewer.author.key,
  seesAll: seesPublic(viewer),
})

/** The members this viewer may see: all of the workspace, or for a guest those they share a place with. */
export function visibleMembers(
  db: Reader,
  { workspace, me, seesAll }: Asking,
  from: Members = db.selectFrom('members'),
): Members {
  const members = from.where('members.workspace_key', '=', workspace)
  if (seesAll) return members
  return members.where((eb) =>
    eb.or([
      eb('members.author_key', '=', me),
      eb(
        'members.author_key',
        'in',
        db
          .selectFrom('channel_members as mine')
          .innerJoin('channels', 'channels.key', 'mine.channel_key')
          .innerJoin('channel_members as theirs', 'theirs.channel_key', 'mine.channel_key')
          .where('mine.author_key', '=', me)
          .where('mine.workspace_key', '=', workspace)
          .where('channels.archived_at', 'is', null)
          .select('theirs.author_key'),
      ),
      eb(
        'members.author_key',
        'in',
        db
          .selectFrom('thread_members as mine')
          .innerJoin('thread_members as theirs', 'theirs.thread_key', 'mine.thread_key')
          .where('mine.author_key', '=', me)
          .where('mine.workspace_key', '=', workspace)
          .select('theirs.author_key'),
      ),
    ]),
  )
}
