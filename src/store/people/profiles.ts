import type { Preferences } from '../../contract/me'
import type { Profile } from '../../contract/members'
import type { Viewer } from '../../domain/permissions'
import { timestamp } from '../../domain/timestamps'
import { viewerKeysOf, visibleMembers } from '../access/visibility'
import type { Reader, Writer } from '../engines/db'

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

type ProfileRow = NonNullable<Awaited<ReturnType<typeof findProfile>>>

export const setProfile = (
  db: Writer,
  authorKey: number,
  changes: { job_title: string | null; time_zone: string | null },
) => db.updateTable('members').set(changes).where('author_key', '=', authorKey).execute()

/** The preferences that a member has changed. */
export async function findPreferences(db: Reader, authorKey: number): Promise<Partial<Preferences>> {
  const { is_enter_send, folded_sections, is_markdown_writer } = await db
    .selectFrom('members')
    .where('author_key', '=', authorKey)
    .select(['is_enter_send', 'folded_sections', 'is_markdown_writer'])
    .executeTakeFirstOrThrow()
  return {
    ...(is_enter_send !== null && { enter_sends: is_enter_send }),
    ...(folded_sections !== null && { folded_sections: toSections(folded_sections) }),
    ...(is_markdown_writer !== null && { writes_markdown: is_markdown_writer }),
  }
}

const toSections = (stored: string) => stored.split(',').filter(Boolean) as Preferences['folded_sections']

export const setPreferences = (db: Writer, authorKey: number, preferences: Partial<Preferences>) =>
  db
    .updateTable('members')
    .set({
      is_enter_send: preferences.enter_sends ?? null,
      folded_sections: preferences.folded_sections?.join() ?? null,
      is_markdown_writer: preferences.writes_markdown ?? null,
    })
    .where('author_key', '=', authorKey)
    .execute()

export const toProfile = (row: ProfileRow): Profile => ({
  member_id: row.id,
  job_title: row.job_title,
  time_zone: row.time_zone,
  joined_at: timestamp(row.created_at),
})
