import { type Selectable, sql } from 'kysely'
import type { Slice } from '../domain/lists/paging'
import type { Viewer } from '../domain/permissions'
import { countRows, type Reader, type Writer } from './engines/db'
import { listFiltered } from './filtered'
import type { Tables } from './schema'

export type DraftRow = Selectable<Tables['drafts']>
export type DraftVersionRow = Selectable<Tables['draft_versions']>

/** Only the drafts of the viewer: nobody can see the drafts of others. */
const draftsOf = (db: Reader, viewer: Viewer) => db.selectFrom('drafts').where('author_key', '=', viewer.author.key)

export const findDraft = (db: Reader, viewer: Viewer, subjectId: string): Promise<DraftRow | undefined> =>
  draftsOf(db, viewer).where('subject_id', '=', subjectId).selectAll().executeTakeFirst()

export function listDrafts(db: Reader, viewer: Viewer, slice: Slice) {
  const drafts = draftsOf(db, viewer)
  return listFiltered<DraftRow>(drafts, drafts.selectAll(), { at: 'updated_at', id: 'subject_id' }, slice)
}

export const countDrafts = (db: Reader, viewer: Viewer): Promise<number> => countRows(draftsOf(db, viewer))

/** The other versions of some drafts, the newest first. */
export const findOtherVersions = async (db: Reader, keys: readonly number[]): Promise<DraftVersionRow[]> =>
  keys.length === 0
    ? []
    : db
        .selectFrom('draft_versions')
        .where('draft_key', 'in', keys)
        .selectAll()
        .orderBy('draft_key', 'desc')
        .orderBy('version', 'desc')
        .execute()

/** The next version for a draft of this member. Versions are never used twice, so a new draft cannot have a version of a deleted one. */
export const takeVersion = async (db: Writer, viewer: Viewer): Promise<number> =>
  (
    await db
      .updateTable('members')
      .set({ draft_version: sql`draft_version + 1` })
      .where('author_key', '=', viewer.author.key)
      .returning('draft_version')
      .executeTakeFirstOrThrow()
  ).draft_version

export const insertDraft = (db: Writer, draft: Omit<DraftRow, 'key'>): Promise<DraftRow> =>
  db.insertInto('drafts').values(draft).returningAll().executeTakeFirstOrThrow()

export const updateDraft = (
  db: Writer,
  key: number,
  changes: Partial<Pick<DraftRow, 'title' | 'content_markdown' | 'version' | 'updated_at' | 'announced_at'>>,
): Promise<DraftRow> =>
  db.updateTable('drafts').set(changes).where('key', '=', key).returningAll().executeTakeFirstOrThrow()

/** Keeps the text of a draft as another version. */
export async function insertVersion(db: Writer, draft: DraftRow): Promise<DraftVersionRow> {
  const { key: draft_key, title, content_markdown, version, updated_at } = draft
  const row = { draft_key, title, content_markdown, version, updated_at }
  await db.insertInto('draft_versions').values(row).execute()
  return row
}

export async function deleteVersions(db: Writer, draftKey: number, versions: readonly { version: number }[]) {
  if (versions.length === 0) return
  const numbers = versions.map(({ version }) => version)
  await db.deleteFrom('draft_versions').where('draft_key', '=', draftKey).where('version', 'in', numbers).execute()
}

export async function deleteDraft(db: Writer, key: number) {
  await db.deleteFrom('draft_versions').where('draft_key', '=', key).execute()
  await db.deleteFrom('drafts').where('key', '=', key).execute()
}
