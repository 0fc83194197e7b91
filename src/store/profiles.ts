import type { Viewer } from '../domain/permissions'
import type { Reader, Writer } from './engines/db'
import { viewerKeysOf } from './visibility'
import { visibleMembers } from './visible-members'

const columns = [
  'members.author_key',
  'members.id',
  'members.job_title',
  'members.time_zone',
  'members.created_at',
] as const

/** The profile of a member this viewer may see. */
export const findProfile = (db: Reader, viewer: Viewer, id: string) =>
  visibleMembers(db, viewerKeysOf(viewer))
    .innerJoin('authors as a', 'a.key', 'members.author_key')
    .where('a.workspace_key', '=', viewer.workspace.key)
    .where('a.id', '=', id)
    .select(columns)
    .executeTakeFirst()

export type ProfileRow = NonNullable<Awaited<ReturnType<typeof findProfile>>>

export const setProfile = (
  db: Writer,
  authorKey: number,
  changes: { job_title: string | null; time_zone: string | null },
) => db.updateTable('members').set(changes).where('author_key', '=', authorKey).execute()
