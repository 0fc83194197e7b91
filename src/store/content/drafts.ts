import { type Selectable, sql } from 'kysely'
import { NO_SUBJECT } from '../../contract/browser/constants'
import type { Draft, DraftPlace, DraftVersion } from '../../contract/drafts'
import type { Slice } from '../../domain/lists/paging'
import type { Viewer } from '../../domain/permissions'
import { timestamp } from '../../domain/timestamps'
import { prepareVisible } from '../access/references'
import { countRows, type Reader, type Writer } from '../engines/db'
import { listRows } from '../lists/list'
import type { Tables } from '../schema'

export type DraftRow = Selectable<Tables['drafts']>
export type DraftVersionRow = Selectable<Tables['draft_versions']>

/** Only the drafts of the viewer: nobody can see the drafts of others. */
const draftsOf = (db: Reader, viewer: Viewer) => db.selectFrom('drafts').where('author_key', '=', viewer.author.key)

export const findDraft = (db: Reader, viewer: Viewer, subjectId: string): Promise<DraftRow | undefined> =>
  draftsOf(db, viewer).where('subject_id', '=', subjectId).selectAll().executeTakeFirst()

export function listDrafts(db: Reader, viewer: Viewer, slice: Slice) {
  const list = {
    ...{ table: 'drafts', key: 'key', at: 'updated_at', id: 'subject_id' },
    ranges: [{ author_key: viewer.author.key }],
  }
  return listRows(db, list, slice, (keys) => keys.innerJoin('drafts', 'drafts.key', 'k.key').selectAll('drafts'))
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

/** What a text is for: something with a name, or a post with a title. */
interface DraftPlaceRow {
  id: string
  name: string
  post_id: string | null
  author_name: string | null
}

const none = sql<null>`NULL`
const noPost = [none.as('post_id'), none.as('author_name')] as const

/** A direct message is called by the name of the other one. */
const threadName = (me: number) => sql<string>`coalesce(CASE WHEN record.direct_pair IS NOT NULL THEN
  (SELECT other.name FROM thread_members AS om JOIN authors AS other ON other.key = om.author_key
    WHERE om.thread_key = record.key AND om.author_key <> ${me} LIMIT 1) END, record.title)`

/** What texts are for, as far as the viewer can see it. */
export const findDraftPlaces = prepareVisible<DraftPlaceRow>({
  channel: (channels) => channels.select(['record.id', 'record.name', ...noPost]),
  post: (posts) => posts.select(['record.id', 'record.id as post_id', 'record.title as name', none.as('author_name')]),
  comment: (comments) =>
    comments
      .where('record.is_deleted', '=', false)
      .innerJoin('authors as a', 'a.key', 'record.author_key')
      .select(['record.id', 'p.id as post_id', 'p.title as name', 'a.name as author_name']),
  thread: (threads, param) => threads.select(['record.id', threadName(param<number>('author')).as('name'), ...noPost]),
  member: (members) => members.select(['record.id', 'record.name', ...noPost]),
})

/** Whether a viewer can see the subject that a text is for. */
export const isDraftSubject = async (db: Reader, viewer: Viewer, id: string): Promise<boolean> =>
  id === NO_SUBJECT || (await findDraftPlaces(db, viewer, [id])).length > 0

export const toDraft = (row: DraftRow, others: readonly DraftVersionRow[]): Draft => ({
  subject_id: row.subject_id,
  ...toText(row),
  others: others.filter(({ draft_key }) => draft_key === row.key).map(toText),
})

export const toDraftPlace = ({ name, post_id, author_name }: DraftPlaceRow): DraftPlace => ({
  name,
  post_id,
  author_name,
})

const toText = ({ title, content_markdown, version, updated_at }: DraftRow | DraftVersionRow): DraftVersion => ({
  title,
  content_markdown,
  version,
  updated_at: timestamp(updated_at),
})
